-- Orders whose earnings no payout pays for, so that a partner's next payout reads those and not all of the partner's orders.
-- Triggers keep them: the entry that books the earnings adds a row, the payout takes it away, and a payout that is given up
-- brings it back.
CREATE TABLE unpaid_earnings (
	order_id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL,
	-- Of the entry, Unix milliseconds: the oldest is paid first.
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO unpaid_earnings (order_id, partner_id, at)
SELECT order_id, partner_id, at
FROM ledger_entries INNER JOIN orders ON orders.id = order_id
WHERE cause = 'paid' AND account = 'partner'
	AND NOT EXISTS (SELECT 1 FROM partner_payout_orders WHERE partner_payout_orders.order_id = ledger_entries.order_id);
CREATE INDEX unpaid_earnings_by_partner ON unpaid_earnings (partner_id, at, order_id);

CREATE TRIGGER unpaid_earnings_added AFTER INSERT ON ledger_entries
WHEN NEW.cause = 'paid' AND NEW.account = 'partner'
BEGIN
	INSERT INTO unpaid_earnings (order_id, partner_id, at) SELECT id, partner_id, NEW.at FROM orders WHERE id = NEW.order_id;
END;
-- Folding alone deletes entries.
CREATE TRIGGER unpaid_earnings_folded AFTER DELETE ON ledger_entries
WHEN OLD.cause = 'paid' AND OLD.account = 'partner'
BEGIN
	DELETE FROM unpaid_earnings WHERE order_id = OLD.order_id;
END;
CREATE TRIGGER unpaid_earnings_paid AFTER INSERT ON partner_payout_orders
BEGIN
	DELETE FROM unpaid_earnings WHERE order_id = NEW.order_id;
END;
CREATE TRIGGER unpaid_earnings_again AFTER DELETE ON partner_payout_orders
BEGIN
	INSERT INTO unpaid_earnings (order_id, partner_id, at)
	SELECT orders.id, partner_id, at
	FROM ledger_entries INNER JOIN orders ON orders.id = order_id
	WHERE order_id = OLD.order_id AND cause = 'paid' AND account = 'partner';
END;
