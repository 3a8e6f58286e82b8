-- A poll must cost nothing for dust that is on record. So each order carries how many dust deposits it has, and what those
-- add up to that have not vanished; both follow from the rows of `deposits` and are written with them, by triggers.
ALTER TABLE orders ADD COLUMN dust_count INTEGER NOT NULL DEFAULT 0;
-- Base units in four parts of nine digits, each summed by itself (`treasury/exact-sum.ts`).
ALTER TABLE orders ADD COLUMN dust_sum TEXT NOT NULL DEFAULT '0 0 0 0 fits';
CREATE VIEW dust_of_orders AS SELECT order_id, count(*) AS dust_count,
	cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 1, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 10, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 19, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 28, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| iif(max(length(amount)) > 36, ' long', ' fits') AS dust_sum
FROM (SELECT order_id, state, amount, substr('000000000000000000000000000000000000' || amount, -36) AS digits FROM deposits WHERE dust = 1)
GROUP BY order_id;
UPDATE orders SET (dust_count, dust_sum) = (SELECT dust_count, dust_sum FROM dust_of_orders WHERE order_id = orders.id)
WHERE id IN (SELECT order_id FROM deposits WHERE dust = 1);
CREATE TRIGGER deposits_dust_added AFTER INSERT ON deposits WHEN new.dust = 1 BEGIN
	UPDATE orders SET (dust_count, dust_sum) = (SELECT dust_count, dust_sum FROM dust_of_orders WHERE order_id = new.order_id)
	WHERE id = new.order_id;
END;
CREATE TRIGGER deposits_dust_changed AFTER UPDATE OF state, amount ON deposits WHEN new.dust = 1 BEGIN
	UPDATE orders SET (dust_count, dust_sum) = (SELECT dust_count, dust_sum FROM dust_of_orders WHERE order_id = new.order_id)
	WHERE id = new.order_id;
END;
-- What else came to an order, without a look at its dust.
CREATE INDEX deposits_not_dust ON deposits (order_id) WHERE dust = 0;
