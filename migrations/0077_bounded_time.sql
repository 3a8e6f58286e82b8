-- When EXCHANGE was chosen, Unix milliseconds: it is priced by prices that were asked for afterwards. A choice that is
-- repeated keeps the time of the first one.
ALTER TABLE orders ADD COLUMN chosen_at INTEGER;

-- How many hours a deposit waits for somebody's decision; then it goes back to the refund address by itself. NULL: for ever.
-- One that is too small to go back is booked to the account `unreturned`, and its `payout_id` names that booking.
ALTER TABLE site ADD COLUMN decision_hours INTEGER DEFAULT 72 CHECK (decision_hours BETWEEN 1 AND 720);
