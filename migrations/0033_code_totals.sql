-- What each reference code has brought, counted when it happens, so that nobody adds up the history. Counters never go
-- down. A row for each code under which an order was made.
CREATE TABLE code_totals (
	partner_id TEXT NOT NULL,
	reference_code TEXT NOT NULL,
	orders INTEGER NOT NULL DEFAULT 0,
	orders_done INTEGER NOT NULL DEFAULT 0,
	-- Of DONE orders, worth at settlement.
	volume_usd_cents INTEGER NOT NULL DEFAULT 0,
	earned_usd_cents INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (partner_id, reference_code)
) STRICT, WITHOUT ROWID;

-- What there is already, archived orders included.
INSERT INTO code_totals (partner_id, reference_code, orders, orders_done, volume_usd_cents, earned_usd_cents)
SELECT partner_id, reference_code, sum(orders), sum(orders_done), sum(volume_usd_cents), sum(earned_usd_cents)
FROM (
	SELECT partner_id, reference_code, 1 AS orders, status = 'DONE' AS orders_done,
		iif(status = 'DONE', coalesce(usd, 0), 0) AS volume_usd_cents,
		iif(status = 'DONE', coalesce(usd, 0) * afftax_bps / 10000, 0) AS earned_usd_cents
	FROM (
		SELECT partner_id, reference_code, status, afftax_bps,
			(SELECT usd_cents FROM transactions WHERE order_id = orders.id AND kind = 'payout') AS usd
		FROM orders WHERE reference_code IS NOT NULL
	)
	UNION ALL
	SELECT partner_id, reference_code, orders, orders_done, volume_usd_cents, partner_usd_cents
	FROM archived_totals WHERE reference_code <> ''
)
GROUP BY partner_id, reference_code;

CREATE TRIGGER orders_counted AFTER INSERT ON orders
WHEN NEW.reference_code IS NOT NULL
BEGIN
	INSERT INTO code_totals (partner_id, reference_code, orders) VALUES (NEW.partner_id, NEW.reference_code, 1)
	ON CONFLICT (partner_id, reference_code) DO UPDATE SET orders = orders + 1;
END;

-- Whole cents, rounded down, as the partner's own counters have it (`treasury/transactions/finish-store.ts`).
CREATE TRIGGER orders_done_counted AFTER UPDATE OF status ON orders
WHEN NEW.status = 'DONE' AND OLD.status <> 'DONE' AND NEW.reference_code IS NOT NULL
BEGIN
	UPDATE code_totals SET orders_done = orders_done + 1,
		volume_usd_cents = volume_usd_cents + paid.usd_cents,
		earned_usd_cents = earned_usd_cents + paid.usd_cents * NEW.afftax_bps / 10000
	FROM (
		SELECT coalesce((SELECT usd_cents FROM transactions WHERE order_id = NEW.id AND kind = 'payout'), 0) AS usd_cents
	) AS paid
	WHERE partner_id = NEW.partner_id AND reference_code = NEW.reference_code;
END;
