-- An order counts in the daily cap with what it was quoted for until its deposits are final, and then with what they are
-- worth: `usd_cents` changes when the order is settled. What it counted before is taken back exactly. Never below
-- nothing: no order may be kept from moving by a counter.
DROP TRIGGER orders_cap_released;
CREATE TRIGGER orders_cap_released AFTER UPDATE OF holds_cap, usd_cents ON orders
WHEN OLD.holds_cap * OLD.usd_cents <> NEW.holds_cap * NEW.usd_cents
BEGIN
	UPDATE daily_volume
	SET usd_cents = max(0, usd_cents + NEW.holds_cap * NEW.usd_cents - OLD.holds_cap * OLD.usd_cents)
	WHERE day = NEW.cap_day;
END;

-- An order leaves with what it entered with, although it may be settled in the same update.
DROP TRIGGER orders_unpaid_released;
CREATE TRIGGER orders_unpaid_released AFTER UPDATE OF status, holds_cap ON orders
WHEN (OLD.status = 'NEW' AND OLD.holds_cap = 1) <> (NEW.status = 'NEW' AND NEW.holds_cap = 1)
BEGIN
	UPDATE unpaid_volume
	SET usd_cents = max(0, usd_cents + iif(NEW.status = 'NEW' AND NEW.holds_cap = 1, NEW.usd_cents, -OLD.usd_cents)),
		orders = max(0, orders + iif(NEW.status = 'NEW' AND NEW.holds_cap = 1, 1, -1))
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day;
END;
