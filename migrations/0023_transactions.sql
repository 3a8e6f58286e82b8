-- Everything that the service sends is a transaction, and a payout is one of seven kinds. The table and its indexes get
-- that name. The reason why a transaction stops is now a kind with facts instead of a sentence
-- (`treasury/transactions/stop-reason.ts`).
CREATE TABLE transactions (
	id TEXT PRIMARY KEY,
	-- Only of a payout or a refund. An earnings payout has the id of its row in `partner_payouts`.
	order_id TEXT REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation')),
	network TEXT NOT NULL,
	asset TEXT NOT NULL,
	to_address TEXT NOT NULL,
	-- Base units.
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	-- Of a payout and a refund: what the deposit was worth at settlement. Of the others: what they move.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	-- The pay-in address that a sweep empties or that gas is for, and the asset that is swept.
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
	CHECK ((kind IN ('payout', 'refund')) = (order_id IS NOT NULL)),
	CHECK ((kind IN ('gas', 'sweep')) = (pay_in_address IS NOT NULL AND pay_in_index IS NOT NULL AND sweep_asset IS NOT NULL)),
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL)),
	CHECK ((blocked_kind IS NULL) = (blocked_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_since IS NULL))
) STRICT;

-- The sentences that were stored until now, each cut at the one fact that it contains. A sentence that begins like one
-- of these is of that kind. If its end differs, everything after the beginning is the fact.
CREATE TABLE old_sentences (kind TEXT NOT NULL, fact TEXT NOT NULL, beginning TEXT NOT NULL, ending TEXT NOT NULL) STRICT;
INSERT INTO old_sentences (kind, fact, beginning, ending) VALUES
	('rejected', 'message', 'the network refuses the signed transaction (',
		'); it is tried again by itself: fill the payout wallet if it lacks coins, else look at the node'),
	('taken', 'message', 'another transaction took its coins or its nonce (',
		'), so it cannot arrive; find that transaction at the payout wallet''s address; nothing else is ever sent for it: pay the recipient by hand, from another wallet, and close the case with `payout settle`'),
	('expired', 'message', 'it was not taken before its time was over (',
		'), so it cannot arrive any more; nothing else is ever sent for it: pay the recipient by hand, from another wallet, and close the case with `payout settle`'),
	('reverted', 'txId', 'the chain took it and reverted it (',
		'), so nothing arrived; see in the explorer why the recipient did not take it; nothing else is ever sent for it: pay the recipient by hand, from another wallet, and close the case with `payout settle`'),
	('lost', 'minutes', 'neither chain nor mempool holds it, ',
		' minutes after it was sent; it is broadcast again by itself: look whether the node is in step, and whether another transaction spent its coins'),
	('unconfirmed', 'minutes', 'no block holds it ',
		' times; it may still confirm and needs nothing but time: look at the explorer, and whether fees are above the ceiling'),
	('dropped', '', 'neither chain nor mempool holds it; it is broadcast again by itself', ''),
	('signer-unreachable', 'error', 'the signer does not answer: ', ''),
	('earlier-nonce', 'id', 'waits for ', ', whose nonce comes first'),
	('depth-unknown', 'error', 'the chain does not say what became of it: ', ''),
	('fee-not-bumped', 'refusal', 'no block holds it, and its fee is not raised: ', '');

-- Each stored sentence with its kind and facts. Any other sentence, such as the signer's, becomes a note with its text.
CREATE TABLE old_reasons (sentence TEXT PRIMARY KEY, kind TEXT NOT NULL, facts TEXT NOT NULL) STRICT;
INSERT INTO old_reasons (sentence, kind, facts)
SELECT sentence, coalesce(kind, 'note'), CASE
	WHEN kind IS NULL THEN json_object('text', sentence)
	WHEN kind = 'dropped' THEN '{}'
	WHEN kind = 'lost' THEN json_object('minutes', cast(rest AS INTEGER))
	WHEN kind = 'unconfirmed' THEN json_object(
		'minutes', cast(rest AS INTEGER),
		'raises', cast(substr(rest, instr(rest, ' was raised ') + length(' was raised ')) AS INTEGER)
	)
	WHEN ends THEN json_object(fact, substr(rest, 1, length(rest) - length(ending)))
	ELSE json_object(fact, rest)
END
FROM (
	SELECT sentence, kind, fact, ending,
		substr(sentence, length(beginning) + 1) AS rest,
		substr(sentence, -length(ending)) = ending AS ends
	FROM (SELECT held AS sentence FROM payouts UNION SELECT waits_because FROM payouts)
	LEFT JOIN old_sentences ON substr(sentence, 1, length(beginning)) = beginning
		AND (kind NOT IN ('lost', 'unconfirmed') OR substr(sentence, -length(ending)) = ending)
		AND (kind <> 'dropped' OR sentence = beginning)
		AND (kind <> 'earlier-nonce' OR substr(sentence, -length(ending)) = ending)
	WHERE sentence IS NOT NULL
);
-- Older code decided by the beginning of the sentence that a transaction can never arrive, also where no bracket
-- follows.
UPDATE old_reasons SET kind = 'taken', facts = json_object('message', substr(sentence, 48))
WHERE kind = 'note' AND substr(sentence, 1, 47) = 'another transaction took its coins or its nonce';
UPDATE old_reasons SET kind = 'expired', facts = json_object('message', substr(sentence, 42))
WHERE kind = 'note' AND substr(sentence, 1, 41) = 'it was not taken before its time was over';
UPDATE old_reasons SET kind = 'reverted', facts = json_object('txId', substr(sentence, 34))
WHERE kind = 'note' AND substr(sentence, 1, 33) = 'the chain took it and reverted it';

INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
	sweep_asset, state, raw, tx_id, fee, blocked_kind, blocked_facts, planned_at, signed_at, sent_at, final_at,
	next_attempt_at, attempts, settled_tx_id, settlement_seal, waits_kind, waits_facts, waits_since)
SELECT id, order_id, payouts.kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
	sweep_asset, state, raw, tx_id, fee, blocked.kind, blocked.facts, planned_at, signed_at, sent_at, final_at,
	next_attempt_at, attempts, settled_tx_id, settlement_seal, waits.kind, waits.facts, waits_since
FROM payouts
LEFT JOIN old_reasons AS blocked ON blocked.sentence = held
LEFT JOIN old_reasons AS waits ON waits.sentence = waits_because;
DROP TABLE old_reasons;
DROP TABLE old_sentences;

-- Older versions of a transaction, before a fee bump. All versions spend the same coins or nonce, so at most one of
-- them is ever on the chain. Few transactions have any.
CREATE TABLE transaction_versions (
	transaction_id TEXT NOT NULL REFERENCES transactions (id),
	tx_id TEXT NOT NULL,
	raw TEXT NOT NULL,
	replaced_at INTEGER NOT NULL,
	PRIMARY KEY (transaction_id, tx_id)
) STRICT, WITHOUT ROWID;
INSERT INTO transaction_versions (transaction_id, tx_id, raw, replaced_at)
SELECT payout_id, tx_id, raw, replaced_at FROM payout_replacements;
DROP TABLE payout_replacements;
DROP TABLE payouts;

-- An order is paid at most once.
CREATE UNIQUE INDEX transactions_once ON transactions (order_id) WHERE kind = 'payout';
-- When a payout and a refund are decided at the same time, one of them fails with its whole batch.
CREATE UNIQUE INDEX transactions_one_at_a_time ON transactions (order_id) WHERE state IN ('planned', 'signed');
-- A pay-in address has one unfinished gas transaction or sweep at a time.
CREATE UNIQUE INDEX transactions_one_sweep ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep') AND state <> 'final';
-- A wallet has one unfinished consolidation at a time.
CREATE UNIQUE INDEX transactions_one_consolidation ON transactions (network) WHERE kind = 'consolidation' AND state <> 'final';
-- An asset has one unfinished withdrawal at a time: a second request before it is final is a mistake.
CREATE UNIQUE INDEX transactions_one_withdrawal ON transactions (asset) WHERE kind = 'withdrawal' AND state <> 'final';
CREATE UNIQUE INDEX transactions_tx ON transactions (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX transactions_open ON transactions (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX transactions_blocked ON transactions (network) WHERE blocked_kind IS NOT NULL;
CREATE INDEX transactions_waiting ON transactions (waits_since) WHERE waits_kind IS NOT NULL;
CREATE INDEX transactions_sweeps ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep');
CREATE INDEX transactions_final ON transactions (network, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX transactions_withdrawals ON transactions (planned_at) WHERE kind = 'withdrawal';

-- A candidate is tried again like a transaction, so its columns get the same names.
ALTER TABLE sweep_candidates RENAME COLUMN looks TO attempts;
ALTER TABLE sweep_candidates RENAME COLUMN next_look_at TO next_attempt_at;
