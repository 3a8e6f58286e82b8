-- What is owed and what was sent. planned: owed; signed: transaction stored, and only that one is ever broadcast;
-- sent: handed to the network; final: deep enough. `held` is set beside the state when a person must look.
CREATE TABLE payouts (
	id TEXT PRIMARY KEY,
	order_id TEXT NOT NULL REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund')),
	network TEXT NOT NULL,
	asset TEXT NOT NULL,
	to_address TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	-- What the deposit was worth at settlement.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	state TEXT NOT NULL CHECK (state IN ('planned', 'signed', 'sent', 'final')),
	raw TEXT,
	tx_id TEXT,
	held TEXT,
	planned_at INTEGER NOT NULL,
	signed_at INTEGER,
	sent_at INTEGER,
	final_at INTEGER,
	next_attempt_at INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL))
) STRICT;
-- A payout is sent at most once (book: contract, "Payout safety").
CREATE UNIQUE INDEX payouts_once ON payouts (order_id) WHERE kind = 'payout';
-- Of a payout and a refund that are decided at the same time, one fails with its whole batch.
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (order_id) WHERE state IN ('planned', 'signed');
CREATE UNIQUE INDEX payouts_tx ON payouts (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX payouts_open ON payouts (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX payouts_held ON payouts (network) WHERE held IS NOT NULL;

-- Double entry: an order's entries sum to zero per asset, always. Signed base units.
CREATE TABLE ledger_entries (
	order_id TEXT NOT NULL REFERENCES orders (id),
	cause TEXT NOT NULL,
	account TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (ltrim(amount, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(amount, '-')) > 0),
	at INTEGER NOT NULL,
	PRIMARY KEY (order_id, cause, account, asset)
) STRICT, WITHOUT ROWID;

-- The outbox. A row is written in the batch of the change that it tells of; `body` is serialised once and is what is
-- signed and posted at each attempt.
CREATE TABLE webhook_events (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	order_id TEXT REFERENCES orders (id),
	sequence INTEGER,
	type TEXT NOT NULL,
	body TEXT NOT NULL,
	state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'ended')),
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	UNIQUE (order_id, sequence)
) STRICT;
CREATE INDEX webhook_events_due ON webhook_events (next_attempt_at) WHERE state = 'due';
CREATE INDEX webhook_events_missed ON webhook_events (partner_id, created_at) WHERE state = 'due';
CREATE INDEX webhook_events_by_time ON webhook_events (created_at);

CREATE TABLE webhook_deliveries (
	event_id TEXT NOT NULL REFERENCES webhook_events (id),
	attempt INTEGER NOT NULL,
	at INTEGER NOT NULL,
	-- HTTP status; null when there was no answer.
	status INTEGER,
	duration_milliseconds INTEGER NOT NULL,
	error TEXT,
	PRIMARY KEY (event_id, attempt)
) STRICT, WITHOUT ROWID;
