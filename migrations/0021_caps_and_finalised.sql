-- What was finalised before deposits could be set aside stays finalised as well, and a choice ends with its EMERGENCY.
UPDATE deposits SET set_aside = 1
WHERE EXISTS (
	SELECT 1 FROM order_changes
	WHERE order_changes.order_id = deposits.order_id AND order_changes.previous_status = 'EMERGENCY'
		AND order_changes.status = 'EXPIRED' AND order_changes.cause LIKE 'finalised: %' AND order_changes.at >= deposits.first_seen_at
);
UPDATE orders SET emergency_choice = NULL WHERE status = 'EXPIRED' AND emergency_choice IS NOT NULL;

-- What a partner's unpaid orders of a UTC day hold of the daily cap, and how many there are, kept by the triggers below.
-- An order is unpaid while it is NEW and holds its share of the cap: it leaves when it is paid, expires or is deleted.
CREATE TABLE unpaid_volume (
	partner_id TEXT NOT NULL,
	day TEXT NOT NULL,
	usd_cents INTEGER NOT NULL,
	orders INTEGER NOT NULL,
	PRIMARY KEY (partner_id, day)
) STRICT, WITHOUT ROWID;
INSERT INTO unpaid_volume (partner_id, day, usd_cents, orders)
SELECT partner_id, cap_day, sum(usd_cents), count(*) FROM orders
WHERE status = 'NEW' AND holds_cap = 1
GROUP BY partner_id, cap_day;

-- Above the share a create aborts with its whole batch, unless it is the partner's only unpaid order: a small cap must
-- not make every order impossible. The share is in whole cents, rounded down.
CREATE TRIGGER orders_unpaid_share AFTER INSERT ON orders
WHEN NEW.status = 'NEW' AND NEW.holds_cap = 1
BEGIN
	INSERT INTO unpaid_volume (partner_id, day, usd_cents, orders) VALUES (NEW.partner_id, NEW.cap_day, NEW.usd_cents, 1)
	ON CONFLICT (partner_id, day) DO UPDATE SET usd_cents = usd_cents + NEW.usd_cents, orders = orders + 1;
	SELECT RAISE(ABORT, 'refused: unpaid share')
	FROM unpaid_volume
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day AND orders > 1
		AND usd_cents > (SELECT daily_cap_usd * unpaid_share_bps / 100 FROM site);
END;

-- Never below nothing: no order may be kept from moving by a counter.
CREATE TRIGGER orders_unpaid_released AFTER UPDATE OF status, holds_cap ON orders
WHEN (OLD.status = 'NEW' AND OLD.holds_cap = 1) <> (NEW.status = 'NEW' AND NEW.holds_cap = 1)
BEGIN
	UPDATE unpaid_volume
	SET usd_cents = max(0, usd_cents + iif(NEW.status = 'NEW' AND NEW.holds_cap = 1, 1, -1) * NEW.usd_cents),
		orders = max(0, orders + iif(NEW.status = 'NEW' AND NEW.holds_cap = 1, 1, -1))
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day;
END;
