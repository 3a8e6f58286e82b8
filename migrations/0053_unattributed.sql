-- What addresses of ours received and no order's deposit, reserve entry or transaction of ours accounts for: to an order
-- that is archived, or beyond the dust that is recorded of one order. One row per asset, because strangers decide how many
-- such payments there are. Invariant: the wallets hold it, and `ledger check` expects it.
CREATE TABLE unattributed (
	asset TEXT PRIMARY KEY,
	-- Base units. All that was ever counted, each payment once, when no later poll lists it again; only the agent writes it.
	counted TEXT NOT NULL CHECK (counted <> '' AND counted NOT GLOB '*[^0-9]*'),
	-- What the last poll saw that may still be undone, or become a deposit; each poll replaces it.
	open TEXT NOT NULL CHECK (open <> '' AND open NOT GLOB '*[^0-9]*'),
	-- What of `counted` the operator has booked as reserve; only `treasury book-unattributed` writes it.
	booked TEXT NOT NULL DEFAULT '0' CHECK (booked <> '' AND booked NOT GLOB '*[^0-9]*'),
	-- Unix milliseconds of the last payment that was counted.
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the deposits and the sums above have come, for networks whose nodes list every payment. It moves in the batch that
-- counts: a payment is counted once, also where the answer of that batch is lost. It is set back together with the sums.
CREATE TABLE arrival_marks (
	network TEXT PRIMARY KEY,
	cursor TEXT NOT NULL,
	-- Height up to which everything is counted.
	settled INTEGER NOT NULL,
	-- Batches that moved it. Each one names the number that it found, so that one that arrives late writes nothing.
	writes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
