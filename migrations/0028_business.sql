-- What the operator's screening service said about a deposit, an order's recipient or its refund address
-- (`treasury/screening`). Few rows: none while screening is off and nobody has decided by hand.
CREATE TABLE screenings (
	order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject IN ('deposit', 'recipient', 'refund')),
	-- Of a deposit; '' of an address.
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	-- The pay-in address, the recipient, the refund address.
	address TEXT NOT NULL,
	-- The network whose agent asks: that of the order's deposits.
	from_network TEXT NOT NULL,
	verdict TEXT NOT NULL CHECK (verdict IN ('accept', 'hold', 'refund')),
	decided_by TEXT NOT NULL CHECK (decided_by IN ('service', 'operator')),
	-- Why no usable answer came, which means hold; or the operator's reason. Null where the service answered.
	note TEXT,
	attempts INTEGER NOT NULL DEFAULT 0,
	at INTEGER NOT NULL,
	-- Null where it is not asked again.
	next_ask_at INTEGER,
	CHECK ((subject = 'deposit') = (tx_id <> '')),
	CHECK (subject <> 'refund' OR verdict <> 'refund'),
	CHECK (next_ask_at IS NULL OR (verdict = 'hold' AND decided_by = 'service')),
	PRIMARY KEY (order_id, subject, tx_id, position, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX screenings_due ON screenings (from_network, next_ask_at) WHERE next_ask_at IS NOT NULL;

-- A verdict that comes while a payout or refund is being planned makes that batch fail: nothing is planned against what
-- is stored. Deposits that another transaction pays for already, or that were set aside, are not this one's.
CREATE TRIGGER transactions_screened BEFORE INSERT ON transactions
WHEN NEW.kind IN ('payout', 'refund')
BEGIN
	SELECT RAISE(ABORT, 'refused: screening')
	FROM screenings
	WHERE screenings.order_id = NEW.order_id AND (
		(screenings.subject = 'recipient' AND NEW.kind = 'payout' AND screenings.verdict <> 'accept')
		OR (screenings.subject = 'refund' AND NEW.kind = 'refund' AND screenings.verdict <> 'accept')
		OR (screenings.subject = 'deposit' AND screenings.verdict <> 'accept'
			AND (screenings.verdict = 'hold' OR NEW.kind = 'payout')
			AND EXISTS (
				SELECT 1 FROM deposits
				WHERE deposits.network = screenings.from_network AND deposits.tx_id = screenings.tx_id
					AND deposits.position = screenings.position AND deposits.address = screenings.address
					AND deposits.payout_id IS NULL AND (deposits.set_aside = 0 OR NEW.kind = 'refund')
			))
	);
END;

-- When a partner is paid by itself. `auto_payout_at` is the next try, Unix milliseconds.
ALTER TABLE partners ADD COLUMN auto_payout TEXT NOT NULL DEFAULT 'none' CHECK (auto_payout IN ('none', 'daily', 'weekly', 'monthly'));
ALTER TABLE partners ADD COLUMN auto_payout_min_usd INTEGER NOT NULL DEFAULT 0 CHECK (auto_payout_min_usd >= 0);
ALTER TABLE partners ADD COLUMN auto_payout_at INTEGER;
-- Why the last try planned nothing although it should have, one line; null where it did or had nothing to pay.
ALTER TABLE partners ADD COLUMN auto_payout_waits TEXT;
CREATE INDEX partners_auto_payout ON partners (auto_payout_at) WHERE auto_payout <> 'none';
-- The first instant of the period that the service paid by itself, Unix milliseconds; null where a person asked for it.
-- A partner is paid by itself at most once a period.
ALTER TABLE partner_payouts ADD COLUMN auto_period INTEGER;
CREATE UNIQUE INDEX partner_payouts_once_a_period ON partner_payouts (partner_id, auto_period) WHERE auto_period IS NOT NULL;

-- Reports read payouts and refunds in the order in which they were planned.
CREATE INDEX transactions_by_time ON transactions (planned_at, id) WHERE kind IN ('payout', 'refund');
-- The export of the books reads bookings by time. Each booking (`order_id`, `cause`) has exactly one entry on one of
-- these accounts and in the index, whatever else it has.
CREATE INDEX ledger_entries_by_time ON ledger_entries (at, order_id, cause) WHERE account IN ('wallet', 'partnerPaid');
