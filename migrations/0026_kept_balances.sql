-- Kept balances, so that no question about the books adds up the whole history. Triggers keep them in the batch that writes
-- the entries, so no writer can forget them. Base units exceed 64 bits: an amount is kept as four limbs of nine digits,
-- the highest first, each with the amount's sign and each added up by itself (`d1/exact-sum.ts`).

-- The entries are proven in pieces of a bounded number of orders, in the order in which they were first booked. Piece 0
-- has no entries: it is the opening balance, what was booked for orders whose entries were folded (`foldEntries`).
CREATE TABLE ledger_pieces (
	number INTEGER PRIMARY KEY CHECK (number >= 0),
	orders INTEGER NOT NULL DEFAULT 0 CHECK (orders >= 0),
	-- Something was booked since the piece was last proven.
	changed INTEGER NOT NULL DEFAULT 1 CHECK (changed IN (0, 1)),
	-- Unix milliseconds; 0: never.
	proven_at INTEGER NOT NULL DEFAULT 0,
	-- The seal is over every entry that was booked up to this moment, Unix milliseconds.
	sealed_until INTEGER NOT NULL DEFAULT 0,
	seal TEXT
) STRICT;
INSERT INTO ledger_pieces (number) VALUES (0);

CREATE TABLE ledger_orders (
	order_id TEXT PRIMARY KEY,
	piece INTEGER NOT NULL REFERENCES ledger_pieces (number)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_orders_by_piece ON ledger_orders (piece);

CREATE TABLE ledger_balances (
	account TEXT NOT NULL,
	asset TEXT NOT NULL,
	piece INTEGER NOT NULL REFERENCES ledger_pieces (number),
	entries INTEGER NOT NULL CHECK (entries >= 0),
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (account, asset, piece)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_balances_by_piece ON ledger_balances (piece);

-- What each partner has earned and was not paid: the account `partner` by partner.
CREATE TABLE partner_dues (
	partner_id TEXT NOT NULL,
	asset TEXT NOT NULL,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (partner_id, asset)
) STRICT, WITHOUT ROWID;

-- What final transactions moved and cost, by UTC day (days since 1970), so that a day can be added up again. Day -1 is
-- of transactions that were deleted with their orders.
CREATE TABLE wallet_flows (
	network TEXT NOT NULL,
	day INTEGER NOT NULL,
	kind TEXT NOT NULL,
	asset TEXT NOT NULL,
	transactions INTEGER NOT NULL,
	moved_3 INTEGER NOT NULL DEFAULT 0,
	moved_2 INTEGER NOT NULL DEFAULT 0,
	moved_1 INTEGER NOT NULL DEFAULT 0,
	moved_0 INTEGER NOT NULL DEFAULT 0,
	fee_3 INTEGER NOT NULL DEFAULT 0,
	fee_2 INTEGER NOT NULL DEFAULT 0,
	fee_1 INTEGER NOT NULL DEFAULT 0,
	fee_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (network, day, kind, asset)
) STRICT, WITHOUT ROWID;

-- Orders whose entries the running batch folds; empty between batches. The row fails, and the batch with it, unless the
-- books of the order and the seals are still what the folding has read.
CREATE TABLE ledger_folds (
	order_id TEXT PRIMARY KEY,
	entries INTEGER NOT NULL,
	piece INTEGER NOT NULL,
	seal TEXT,
	opening_seal TEXT
) STRICT, WITHOUT ROWID;
CREATE TRIGGER ledger_folds_exact BEFORE INSERT ON ledger_folds
WHEN (SELECT count(*) FROM ledger_entries WHERE order_id = NEW.order_id) <> NEW.entries
	OR (SELECT piece FROM ledger_orders WHERE order_id = NEW.order_id) IS NOT NEW.piece
	OR (SELECT seal FROM ledger_pieces WHERE number = NEW.piece) IS NOT NEW.seal
	OR (SELECT seal FROM ledger_pieces WHERE number = 0) IS NOT NEW.opening_seal
BEGIN
	SELECT RAISE(ABORT, 'refused: the books changed');
END;

-- What is booked already. No amount has more than 36 digits; one that had would stop the migration.
INSERT INTO ledger_orders (order_id, piece)
SELECT order_id, (row_number() OVER (ORDER BY first_at, order_id) + 999) / 1000
FROM (SELECT order_id, min(at) AS first_at FROM ledger_entries GROUP BY order_id);
INSERT INTO ledger_pieces (number, orders) SELECT piece, count(*) FROM ledger_orders GROUP BY piece;
INSERT INTO ledger_balances (account, asset, piece, entries, limb_3, limb_2, limb_1, limb_0)
SELECT account, asset, piece, iif(max(length(ltrim(amount, '-'))) > 36, NULL, count(*)),
	sum(sign * cast(substr(digits, 1, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 10, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 19, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 28, 9) AS INTEGER))
FROM (
	SELECT account, asset, piece, amount, iif(substr(amount, 1, 1) = '-', -1, 1) AS sign,
		substr('000000000000000000000000000000000000' || ltrim(amount, '-'), -36) AS digits
	FROM ledger_entries INNER JOIN ledger_orders USING (order_id)
)
GROUP BY account, asset, piece;
INSERT INTO partner_dues (partner_id, asset, limb_3, limb_2, limb_1, limb_0)
SELECT partner_id, asset,
	sum(sign * cast(substr(digits, 1, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 10, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 19, 9) AS INTEGER)),
	sum(sign * cast(substr(digits, 28, 9) AS INTEGER))
FROM (
	SELECT partner_id, asset, iif(substr(amount, 1, 1) = '-', -1, 1) AS sign,
		substr('000000000000000000000000000000000000' || ltrim(amount, '-'), -36) AS digits
	FROM ledger_entries INNER JOIN orders ON orders.id = order_id
	WHERE account = 'partner'
)
GROUP BY partner_id, asset;
INSERT INTO wallet_flows (network, day, kind, asset, transactions, moved_3, moved_2, moved_1, moved_0, fee_3, fee_2, fee_1, fee_0)
SELECT network, day, kind, asset, count(*),
	sum(1 * cast(substr(moved, 1, 9) AS INTEGER)),
	sum(1 * cast(substr(moved, 10, 9) AS INTEGER)),
	sum(1 * cast(substr(moved, 19, 9) AS INTEGER)),
	sum(1 * cast(substr(moved, 28, 9) AS INTEGER)),
	sum(sign * cast(substr(fee, 1, 9) AS INTEGER)),
	sum(sign * cast(substr(fee, 10, 9) AS INTEGER)),
	sum(sign * cast(substr(fee, 19, 9) AS INTEGER)),
	sum(sign * cast(substr(fee, 28, 9) AS INTEGER))
FROM (
	SELECT network, final_at / 86400000 AS day, kind, asset,
		substr('000000000000000000000000000000000000' || iif(state = 'final' AND settled_tx_id IS NULL, amount, '0'), -36) AS moved,
		iif(substr(fee, 1, 1) = '-', -1, 1) AS sign, substr('000000000000000000000000000000000000' || ltrim(coalesce(fee, '0'), '-'), -36) AS fee
	FROM transactions
	WHERE final_at IS NOT NULL
)
GROUP BY network, day, kind, asset;

-- The first entry of an order puts it into the newest piece, or opens the next one.
CREATE TRIGGER ledger_entries_first BEFORE INSERT ON ledger_entries
WHEN NOT EXISTS (SELECT 1 FROM ledger_orders WHERE order_id = NEW.order_id)
BEGIN
	INSERT INTO ledger_pieces (number)
	SELECT number + 1 FROM (SELECT number, orders FROM ledger_pieces ORDER BY number DESC LIMIT 1)
	WHERE number = 0 OR orders >= 1000;
	INSERT INTO ledger_orders (order_id, piece) SELECT NEW.order_id, max(number) FROM ledger_pieces;
	UPDATE ledger_pieces SET orders = orders + 1 WHERE number = (SELECT max(number) FROM ledger_pieces);
END;

CREATE TRIGGER ledger_entries_added AFTER INSERT ON ledger_entries
BEGIN
	SELECT RAISE(ABORT, 'refused: amount too long') WHERE length(ltrim(NEW.amount, '-')) > 36;
	INSERT INTO ledger_balances (account, asset, piece, entries, limb_3, limb_2, limb_1, limb_0)
	SELECT NEW.account, NEW.asset, piece, 1,
		sign * cast(substr(digits, 1, 9) AS INTEGER),
		sign * cast(substr(digits, 10, 9) AS INTEGER),
		sign * cast(substr(digits, 19, 9) AS INTEGER),
		sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (
		SELECT piece, iif(substr(NEW.amount, 1, 1) = '-', -1, 1) AS sign,
			substr('000000000000000000000000000000000000' || ltrim(NEW.amount, '-'), -36) AS digits
		FROM ledger_orders WHERE order_id = NEW.order_id
	)
	WHERE true
	ON CONFLICT (account, asset, piece) DO UPDATE SET entries = entries + 1,
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
	UPDATE ledger_pieces SET changed = 1
	WHERE number = (SELECT piece FROM ledger_orders WHERE order_id = NEW.order_id) AND changed = 0;
END;
CREATE TRIGGER ledger_entries_due AFTER INSERT ON ledger_entries
WHEN NEW.account = 'partner'
BEGIN
	INSERT INTO partner_dues (partner_id, asset, limb_3, limb_2, limb_1, limb_0)
	SELECT partner_id, NEW.asset,
		sign * cast(substr(digits, 1, 9) AS INTEGER),
		sign * cast(substr(digits, 10, 9) AS INTEGER),
		sign * cast(substr(digits, 19, 9) AS INTEGER),
		sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (
		SELECT partner_id, iif(substr(NEW.amount, 1, 1) = '-', -1, 1) AS sign,
			substr('000000000000000000000000000000000000' || ltrim(NEW.amount, '-'), -36) AS digits
		FROM orders WHERE id = NEW.order_id
	)
	WHERE true
	ON CONFLICT (partner_id, asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;

-- Entries are only ever added. Folding alone removes some, under its row in `ledger_folds`.
CREATE TRIGGER ledger_entries_unchanged BEFORE UPDATE ON ledger_entries
BEGIN
	SELECT RAISE(ABORT, 'refused: an entry is never changed');
END;
CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries
WHEN NOT EXISTS (SELECT 1 FROM ledger_folds WHERE order_id = OLD.order_id)
BEGIN
	SELECT RAISE(ABORT, 'refused: an entry is never deleted');
END;

-- A view takes the changes of `wallet_flows`, so that they are written down once. `sign`: 1 adds, -1 takes away.
CREATE VIEW wallet_flow_changes AS
SELECT network, day, kind, asset, transactions AS sign, '0' AS moved, '0' AS fee FROM wallet_flows;
CREATE TRIGGER wallet_flow_changed INSTEAD OF INSERT ON wallet_flow_changes
BEGIN
	SELECT RAISE(ABORT, 'refused: amount too long') WHERE max(length(NEW.moved), length(ltrim(NEW.fee, '-'))) > 36;
	INSERT INTO wallet_flows (network, day, kind, asset, transactions, moved_3, moved_2, moved_1, moved_0, fee_3, fee_2, fee_1, fee_0)
	SELECT NEW.network, NEW.day, NEW.kind, NEW.asset, NEW.sign,
		NEW.sign * cast(substr(moved, 1, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 10, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 19, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 28, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 1, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 10, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 19, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 28, 9) AS INTEGER)
	FROM (
		SELECT substr('000000000000000000000000000000000000' || NEW.moved, -36) AS moved, substr('000000000000000000000000000000000000' || ltrim(NEW.fee, '-'), -36) AS fee,
			iif(substr(NEW.fee, 1, 1) = '-', -NEW.sign, NEW.sign) AS fee_sign
	)
	WHERE true
	ON CONFLICT (network, day, kind, asset) DO UPDATE SET transactions = transactions + excluded.transactions,
		moved_3 = moved_3 + excluded.moved_3,
		moved_2 = moved_2 + excluded.moved_2,
		moved_1 = moved_1 + excluded.moved_1,
		moved_0 = moved_0 + excluded.moved_0,
		fee_3 = fee_3 + excluded.fee_3,
		fee_2 = fee_2 + excluded.fee_2,
		fee_1 = fee_1 + excluded.fee_1,
		fee_0 = fee_0 + excluded.fee_0;
END;
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

-- Coins that the wallets hold and no order's books name, of rows that were deleted with their order: deposits that were
-- never booked, and payments whose coins stayed.
CREATE TABLE deleted_holdings (
	asset TEXT PRIMARY KEY,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TRIGGER deposits_holding_kept AFTER DELETE ON deposits
WHEN OLD.state IN ('seen', 'final') AND OLD.payout_id IS NULL
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

-- What `ledger check` asks of transactions: those that left the wallets for no order, and those whose coins stayed. Those
-- paid by hand too (`order find` looks for them by the id of what was sent instead).
CREATE INDEX transactions_settled ON transactions (settled_tx_id) WHERE settled_tx_id IS NOT NULL;
CREATE INDEX transactions_not_booked ON transactions (asset) WHERE kind IN ('earnings', 'withdrawal');
CREATE INDEX transactions_reverted ON transactions (asset) WHERE state = 'sent' AND final_at IS NOT NULL;

-- Queries that read through a table that grows. SQLite chooses a partial index surely only where a column of it is given:
-- these begin with a column of their own condition.
DROP INDEX deposits_unclaimed;
CREATE INDEX deposits_unclaimed ON deposits (payout_id, order_id) WHERE state = 'final' AND payout_id IS NULL AND dust = 0;
CREATE INDEX deposits_unclaimed_dust ON deposits (payout_id) WHERE state = 'final' AND payout_id IS NULL AND dust = 1;
CREATE INDEX transactions_by_order ON transactions (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX transaction_versions_by_tx ON transaction_versions (tx_id);
-- By expressions, so that only `order list --status` and `webhook list --partner` take them: a status or a partner alone
-- finds far too many rows for a poll.
CREATE INDEX orders_by_status ON orders (lower(status), created_at);
CREATE INDEX webhook_events_by_partner ON webhook_events (lower(partner_id), created_at);
CREATE INDEX webhook_events_undelivered ON webhook_events (created_at) WHERE state <> 'delivered';
-- A deleted order is looked for in each table that refers to it.
CREATE INDEX sweep_candidates_by_order ON sweep_candidates (order_id);
-- Orders that an older key has sealed (`keys show`, `keys reseal`): the number that the seal names, with its point.
CREATE INDEX orders_by_key ON orders (substr(seal, 1, instr(seal, '.')));
