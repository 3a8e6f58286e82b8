-- Of an asset one withdrawal is under way at a time: whoever asks again before it is final has it twice by mistake.
CREATE UNIQUE INDEX payouts_one_withdrawal ON payouts (asset) WHERE kind = 'withdrawal' AND state <> 'final';
CREATE INDEX payouts_withdrawals ON payouts (planned_at) WHERE kind = 'withdrawal';
