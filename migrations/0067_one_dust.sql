-- Base units: a deposit of fewer is dust. It is what a payment of the asset cost when the order was made, and at most a
-- tenth of what the order asked for; fixed with the order, so that no later fee makes dust of what was asked for.
ALTER TABLE orders ADD COLUMN dust_below TEXT NOT NULL DEFAULT '0'
	CHECK (length(dust_below) > 0 AND dust_below NOT GLOB '*[^0-9]*');

-- Dust is paid for together with a deposit that is none. What screening does not accept of it is in no payout, and stops
-- none (0042): so a stranger's dust keeps nobody's order from being paid.
CREATE TRIGGER deposits_dust_screened BEFORE UPDATE OF payout_id ON deposits
WHEN NEW.dust = 1 AND NEW.payout_id IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'refused: screening')
	FROM screenings JOIN transactions ON transactions.id = NEW.payout_id
	WHERE transactions.kind = 'payout' AND screenings.order_id = NEW.order_id AND screenings.subject = 'deposit'
		AND screenings.verdict <> 'accept' AND screenings.from_network = NEW.network AND screenings.tx_id = NEW.tx_id
		AND screenings.position = NEW.position AND screenings.address = NEW.address;
END;

-- Orders that dust came to: what of it nobody asked for goes back, or is booked, when their addresses are watched no more.
CREATE INDEX orders_with_dust ON orders (from_network, watch_until) WHERE dust_count > 0;
