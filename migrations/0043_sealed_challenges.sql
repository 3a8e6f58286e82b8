-- Who writes the database must not be able to make a challenge, because a passkey that signs one is sealed. What was asked
-- before has no seal and counts for nothing: it lives five minutes.
ALTER TABLE cabinet_challenges ADD COLUMN seal TEXT NOT NULL DEFAULT '';
