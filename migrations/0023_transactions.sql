-- What the service sends has one name for all its kinds: a payout is one of seven kinds of transaction.
ALTER TABLE payouts RENAME TO transactions;
ALTER TABLE payout_replacements RENAME TO transaction_versions;
ALTER TABLE transaction_versions RENAME COLUMN payout_id TO transaction_id;
