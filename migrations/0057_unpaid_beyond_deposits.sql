-- What an order holds of the daily cap beyond its final deposits is unpaid, whatever its status: a payment that is in
-- no block yet, or too small, takes nothing out of the partner's share. `paid_cents`: the part of `usd_cents` that the
-- final deposits pay. `usd_cents` falls to it when the order ends.
ALTER TABLE orders ADD COLUMN paid_cents INTEGER NOT NULL DEFAULT 0
	CHECK (paid_cents >= 0 AND paid_cents <= usd_cents);
UPDATE orders SET paid_cents = usd_cents WHERE status NOT IN ('NEW', 'PENDING');

-- An order is one of the partner's unpaid orders while anything of it is unpaid. Never below nothing: no order may be
-- kept from moving by a counter.
DROP TRIGGER orders_unpaid_released;
CREATE TRIGGER orders_unpaid_changed AFTER UPDATE OF holds_cap, usd_cents, paid_cents ON orders
WHEN OLD.holds_cap * (OLD.usd_cents - OLD.paid_cents) <> NEW.holds_cap * (NEW.usd_cents - NEW.paid_cents)
BEGIN
	UPDATE unpaid_volume
	SET usd_cents = max(0, usd_cents + NEW.holds_cap * (NEW.usd_cents - NEW.paid_cents)
			- OLD.holds_cap * (OLD.usd_cents - OLD.paid_cents)),
		orders = max(0, orders + (NEW.holds_cap = 1 AND NEW.usd_cents > NEW.paid_cents)
			- (OLD.holds_cap = 1 AND OLD.usd_cents > OLD.paid_cents))
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day;
END;

-- What is unpaid of an order from before enters its partner's count.
DELETE FROM unpaid_volume;
INSERT INTO unpaid_volume (partner_id, day, usd_cents, orders)
SELECT partner_id, cap_day, sum(usd_cents - paid_cents), count(*) FROM orders
WHERE holds_cap = 1 AND usd_cents > paid_cents
GROUP BY partner_id, cap_day;
