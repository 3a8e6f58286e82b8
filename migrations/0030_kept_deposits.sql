-- What `ledger check` asks of pay-in addresses, kept like the balances of 0026, so that it reads the open addresses alone:
-- the sum of all final deposits of an asset. It is kept in parts, by the first two characters of the order's id, so that a
-- part can be added up again. The part '' is of deposits that were deleted with their orders.
CREATE TABLE deposit_sums (
	asset TEXT NOT NULL,
	part TEXT NOT NULL,
	deposits INTEGER NOT NULL,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (asset, part)
) STRICT, WITHOUT ROWID;

INSERT INTO deposit_sums (asset, part, deposits, limb_3, limb_2, limb_1, limb_0)
SELECT asset, part, count(*),
	sum(cast(substr(digits, 1, 9) AS INTEGER)),
	sum(cast(substr(digits, 10, 9) AS INTEGER)),
	sum(cast(substr(digits, 19, 9) AS INTEGER)),
	sum(cast(substr(digits, 28, 9) AS INTEGER))
FROM (
	SELECT asset, substr(order_id, 1, 2) AS part, substr('000000000000000000000000000000000000' || amount, -36) AS digits
	FROM deposits WHERE state = 'final'
)
GROUP BY asset, part;
INSERT INTO deposit_sums (asset, part, deposits, limb_3, limb_2, limb_1, limb_0)
SELECT asset, '', 0,
	cast(substr(digits, 1, 9) AS INTEGER),
	cast(substr(digits, 10, 9) AS INTEGER),
	cast(substr(digits, 19, 9) AS INTEGER),
	cast(substr(digits, 28, 9) AS INTEGER)
FROM (SELECT asset, substr('000000000000000000000000000000000000' || amount, -36) AS digits FROM archived_sums WHERE what = 'deposits');

-- A view takes the changes, so that they are written down once. `sign`: 1 adds, -1 takes away. A poll must be able to
-- record whatever the chain has, so a longer amount is not refused: no asset has one.
CREATE VIEW deposit_sum_changes AS SELECT asset, part, deposits AS sign, '0' AS amount FROM deposit_sums;
CREATE TRIGGER deposit_sum_changed INSTEAD OF INSERT ON deposit_sum_changes
BEGIN
	INSERT INTO deposit_sums (asset, part, deposits, limb_3, limb_2, limb_1, limb_0)
	SELECT NEW.asset, NEW.part, NEW.sign,
		NEW.sign * cast(substr(digits, 1, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 10, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 19, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (SELECT substr('000000000000000000000000000000000000' || NEW.amount, -36) AS digits)
	WHERE true
	ON CONFLICT (asset, part) DO UPDATE SET deposits = deposits + excluded.deposits,
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;
CREATE TRIGGER deposits_sum_added AFTER INSERT ON deposits
WHEN NEW.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes VALUES (NEW.asset, substr(NEW.order_id, 1, 2), 1, NEW.amount);
END;
CREATE TRIGGER deposits_sum_changed AFTER UPDATE OF asset, order_id, amount, state ON deposits
WHEN OLD.state = 'final' OR NEW.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes SELECT OLD.asset, substr(OLD.order_id, 1, 2), -1, OLD.amount WHERE OLD.state = 'final';
	INSERT INTO deposit_sum_changes SELECT NEW.asset, substr(NEW.order_id, 1, 2), 1, NEW.amount WHERE NEW.state = 'final';
END;
CREATE TRIGGER deposits_sum_kept AFTER DELETE ON deposits
WHEN OLD.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes
	SELECT OLD.asset, part, sign, OLD.amount FROM (SELECT substr(OLD.order_id, 1, 2) AS part, -1 AS sign UNION ALL SELECT '', 1);
END;

-- What partners will earn with orders under way: balances that are not zero. Those of finished orders are.
CREATE INDEX ledger_balances_pending ON ledger_balances (asset)
WHERE account = 'partnerPending' AND (limb_3 <> 0 OR limb_2 <> 0 OR limb_1 <> 0 OR limb_0 <> 0);
-- `order list --partner --status` of orders that are over.
CREATE INDEX orders_finished_by_partner ON orders (partner_id, lower(status), created_at) WHERE status IN ('DONE', 'EXPIRED');
