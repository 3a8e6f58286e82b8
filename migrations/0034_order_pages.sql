-- What a partner sets for the pages of their orders, as JSON: who may frame them, the name and links that payers see, and
-- whether the payer may choose EXCHANGE. What is not named is off.
ALTER TABLE partners ADD COLUMN order_page TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(order_page) AND length(order_page) <= 4000);
