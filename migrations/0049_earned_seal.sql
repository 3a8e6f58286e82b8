-- A seal over what the partner earns with a payout, made with the settlement. Null in rows of older versions: there the
-- signer has only bounds of its own.
ALTER TABLE transactions ADD COLUMN earned_seal TEXT;
