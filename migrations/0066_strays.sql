-- Coins of another asset or network at an order's pay-in address (strays), and the way back of such coins: an eighth kind of
-- transaction. SQLite cannot change a CHECK, so the table of transactions is made again; its other columns, indexes and
-- triggers are as they were.
CREATE TABLE strays (
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	asset TEXT NOT NULL,
	order_id TEXT NOT NULL REFERENCES orders (id),
	-- Base units that ever came, by the last look. What sweeps took of them is in their transactions.
	counted TEXT NOT NULL CHECK (counted <> '' AND counted NOT GLOB '*[^0-9]*'),
	-- Base units of `counted` for which a return was planned, its cost included.
	taken TEXT NOT NULL DEFAULT '0' CHECK (taken <> '' AND taken NOT GLOB '*[^0-9]*'),
	-- The same before the newest return was planned: where that is given up, it is all that is answered for.
	taken_before TEXT NOT NULL DEFAULT '0' CHECK (taken_before <> '' AND taken_before NOT GLOB '*[^0-9]*'),
	-- 1: the node lists every payment, so it is in `unattributed` already. 0: `ledger check` counts it by this row.
	is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1)),
	-- Where it goes back to instead of the order's refund address, as the operator entered it, and the seal over that. The
	-- signer sends it to no other address.
	to_address TEXT,
	to_seal TEXT,
	-- Why it does not go back by itself now; null where it does, or has.
	waits TEXT,
	-- Unix milliseconds.
	found_at INTEGER NOT NULL,
	looked_at INTEGER NOT NULL,
	-- When it is judged next; null while nothing is to be done.
	due_at INTEGER,
	PRIMARY KEY (network, address, asset),
	CHECK ((to_address IS NULL) = (to_seal IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX strays_by_order ON strays (order_id);
CREATE INDEX strays_sealed ON strays (order_id) WHERE to_seal IS NOT NULL;
CREATE INDEX strays_due ON strays (network, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX strays_waiting ON strays (found_at) WHERE waits IS NOT NULL;

-- What the partner and the payer read of an order's strays, as JSON; null where it has none.
ALTER TABLE orders ADD COLUMN strays TEXT CHECK (strays IS NULL OR json_valid(strays));

DROP TRIGGER orders_done_counted;
CREATE TABLE kept_versions (transaction_id TEXT NOT NULL, tx_id TEXT NOT NULL, raw TEXT NOT NULL, replaced_at INTEGER NOT NULL) STRICT;
INSERT INTO kept_versions SELECT transaction_id, tx_id, raw, replaced_at FROM transaction_versions;
DROP TABLE transaction_versions;
CREATE TABLE transactions_with_strays (
	id TEXT PRIMARY KEY,
	-- Only of a payout or a refund. An earnings payout has the id of its row in `partner_payouts`.
	order_id TEXT REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation', 'stray')),
	network TEXT NOT NULL,
	asset TEXT NOT NULL,
	to_address TEXT NOT NULL,
	-- Base units.
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	-- Of a payout and a refund: what the deposit was worth at settlement. Of the others: what they move.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	-- The pay-in address that a sweep empties, that gas is for or where a stray lay, and the asset that is swept.
	pay_in_address TEXT,
	pay_in_index INTEGER,
	sweep_asset TEXT,
	-- planned: owed; signed: stored, and only that one is ever broadcast; sent: the network has it; final: it has the
	-- confirmations that its value needs.
	state TEXT NOT NULL CHECK (state IN ('planned', 'signed', 'sent', 'final')),
	-- The newest version of the signed transaction; older ones are in `transaction_versions`.
	raw TEXT,
	tx_id TEXT,
	-- What it cost in the network's coin beyond what it moved, signed base units (`TransactionDepth`); known once it is
	-- final.
	fee TEXT CHECK (ltrim(fee, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(fee, '-')) > 0),
	-- Why it is blocked: a kind, and its facts as JSON. Null while it is not.
	blocked_kind TEXT,
	blocked_facts TEXT CHECK (json_valid(blocked_facts)),
	planned_at INTEGER NOT NULL,
	signed_at INTEGER,
	sent_at INTEGER,
	final_at INTEGER,
	next_attempt_at INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	-- The transaction by which the operator paid instead of this one, from another wallet.
	settled_tx_id TEXT CHECK (settled_tx_id IS NULL OR state = 'final'),
	-- Of a payout or refund: HMAC over order, kind, asset, amount and the deposits that it pays for.
	settlement_seal TEXT,
	-- The last reason why it could not go on, and since when (Unix milliseconds). Null while it goes on.
	waits_kind TEXT,
	waits_facts TEXT CHECK (json_valid(waits_facts)),
	waits_since INTEGER,
	-- Of an order's payout: HMAC over what the partner earns with it.
	earned_seal TEXT,
	CHECK ((kind IN ('payout', 'refund')) = (order_id IS NOT NULL)),
	CHECK ((kind IN ('gas', 'sweep', 'stray')) = (pay_in_address IS NOT NULL AND pay_in_index IS NOT NULL AND sweep_asset IS NOT NULL)),
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL)),
	CHECK ((blocked_kind IS NULL) = (blocked_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_since IS NULL))
) STRICT;
INSERT INTO transactions_with_strays (id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, raw, tx_id, fee, blocked_kind, blocked_facts, planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts, settled_tx_id, settlement_seal, waits_kind, waits_facts, waits_since, earned_seal)
SELECT id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, raw, tx_id, fee, blocked_kind, blocked_facts, planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts, settled_tx_id, settlement_seal, waits_kind, waits_facts, waits_since, earned_seal FROM transactions;
DROP TABLE transactions;
ALTER TABLE transactions_with_strays RENAME TO transactions;

CREATE TABLE transaction_versions (
	transaction_id TEXT NOT NULL REFERENCES transactions (id),
	tx_id TEXT NOT NULL,
	raw TEXT NOT NULL,
	replaced_at INTEGER NOT NULL,
	PRIMARY KEY (transaction_id, tx_id)
) STRICT, WITHOUT ROWID;
INSERT INTO transaction_versions SELECT transaction_id, tx_id, raw, replaced_at FROM kept_versions;
CREATE INDEX transaction_versions_by_tx ON transaction_versions (tx_id);
DROP TABLE kept_versions;

CREATE UNIQUE INDEX transactions_once ON transactions (order_id) WHERE kind = 'payout';
CREATE UNIQUE INDEX transactions_one_at_a_time ON transactions (order_id) WHERE state IN ('planned', 'signed');
-- A pay-in address has one unfinished gas transaction, sweep or return of a stray at a time.
CREATE UNIQUE INDEX transactions_one_sweep ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep', 'stray') AND state <> 'final';
CREATE UNIQUE INDEX transactions_one_consolidation ON transactions (network) WHERE kind = 'consolidation' AND state <> 'final';
CREATE UNIQUE INDEX transactions_one_withdrawal ON transactions (asset) WHERE kind = 'withdrawal' AND state <> 'final';
CREATE UNIQUE INDEX transactions_tx ON transactions (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX transactions_open ON transactions (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX transactions_blocked ON transactions (network) WHERE blocked_kind IS NOT NULL;
CREATE INDEX transactions_waiting ON transactions (waits_since) WHERE waits_kind IS NOT NULL;
CREATE INDEX transactions_sweeps ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep');
CREATE INDEX transactions_final ON transactions (network, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX transactions_withdrawals ON transactions (planned_at) WHERE kind = 'withdrawal';
CREATE INDEX transactions_settled ON transactions (settled_tx_id) WHERE settled_tx_id IS NOT NULL;
CREATE INDEX transactions_not_booked ON transactions (asset) WHERE kind IN ('earnings', 'withdrawal', 'stray');
CREATE INDEX transactions_reverted ON transactions (asset) WHERE state = 'sent' AND final_at IS NOT NULL;
CREATE INDEX transactions_by_order ON transactions (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX transactions_by_time ON transactions (planned_at, id) WHERE kind IN ('payout', 'refund');
-- A stray is read by its address.
CREATE INDEX transactions_strays ON transactions (network, pay_in_address) WHERE kind = 'stray';

CREATE TRIGGER transactions_flow_added AFTER INSERT ON transactions
WHEN NEW.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes VALUES (NEW.network, NEW.final_at / 86400000, NEW.kind, NEW.asset, 1,
		iif(NEW.state = 'final' AND NEW.settled_tx_id IS NULL, NEW.amount, '0'), coalesce(NEW.fee, '0'));
END;

CREATE TRIGGER transactions_flow_changed AFTER UPDATE OF network, kind, asset, amount, state, fee, final_at, settled_tx_id ON transactions
WHEN OLD.final_at IS NOT NULL OR NEW.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes SELECT OLD.network, OLD.final_at / 86400000, OLD.kind, OLD.asset, -1,
		iif(OLD.state = 'final' AND OLD.settled_tx_id IS NULL, OLD.amount, '0'), coalesce(OLD.fee, '0')
	WHERE OLD.final_at IS NOT NULL;
	INSERT INTO wallet_flow_changes SELECT NEW.network, NEW.final_at / 86400000, NEW.kind, NEW.asset, 1,
		iif(NEW.state = 'final' AND NEW.settled_tx_id IS NULL, NEW.amount, '0'), coalesce(NEW.fee, '0')
	WHERE NEW.final_at IS NOT NULL;
END;

CREATE TRIGGER transactions_flow_kept AFTER DELETE ON transactions
WHEN OLD.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes SELECT OLD.network, day, OLD.kind, OLD.asset, sign,
		iif(OLD.state = 'final' AND OLD.settled_tx_id IS NULL, OLD.amount, '0'), coalesce(OLD.fee, '0')
	FROM (SELECT OLD.final_at / 86400000 AS day, -1 AS sign UNION ALL SELECT -1, 1);
END;

CREATE TRIGGER transactions_holding_kept AFTER DELETE ON transactions
WHEN OLD.kind IN ('payout', 'refund') AND (OLD.settled_tx_id IS NOT NULL OR (OLD.state = 'sent' AND OLD.final_at IS NOT NULL))
BEGIN
	INSERT INTO deleted_holdings (asset, limb_3, limb_2, limb_1, limb_0)
	SELECT OLD.asset,
		cast(substr(digits, 1, 9) AS INTEGER),
		cast(substr(digits, 10, 9) AS INTEGER),
		cast(substr(digits, 19, 9) AS INTEGER),
		cast(substr(digits, 28, 9) AS INTEGER)
	FROM (SELECT substr('000000000000000000000000000000000000' || OLD.amount, -36) AS digits)
	WHERE true
	ON CONFLICT (asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;

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
					AND deposits.payout_id IS NULL
					AND (NEW.kind = 'refund' OR (deposits.set_aside = 0 AND deposits.dust = 0))
			))
	);
END;
