-- What was said of dust stops no payout, because dust is in none; a refund may send it back.
DROP TRIGGER transactions_screened;
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
