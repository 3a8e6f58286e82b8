-- No order pays or refunds to a pay-in address of ours: the coins would be taken for another order's deposit. The exact
-- text is found by the UNIQUE key (from_network, pay_in_address), bech32 in capitals too. EVM addresses have several
-- texts and are the same on all EVM networks, so they have an index of their own, in one case.
CREATE INDEX orders_hexadecimal_pay_in ON orders (lower(pay_in_address)) WHERE substr(pay_in_address, 1, 2) = '0x';

CREATE TRIGGER orders_own_address BEFORE INSERT ON orders
WHEN EXISTS (
		SELECT 1 FROM orders
		WHERE from_network = NEW.to_network AND pay_in_address IN (NEW.to_address, lower(NEW.to_address))
	)
	OR EXISTS (
		SELECT 1 FROM orders
		WHERE from_network = NEW.from_network AND pay_in_address IN (NEW.refund_address, lower(NEW.refund_address))
	)
	OR EXISTS (
		SELECT 1 FROM orders
		WHERE substr(pay_in_address, 1, 2) = '0x'
			AND lower(pay_in_address) IN (lower(NEW.to_address), lower(NEW.refund_address))
	)
BEGIN
	SELECT RAISE(ABORT, 'refused: own address');
END;

-- Orders per reference code (`partner show`).
CREATE INDEX orders_by_code ON orders (partner_id, reference_code) WHERE reference_code IS NOT NULL;
-- Who changed one thing, and when (`audit list --subject`, `attention`).
CREATE INDEX audit_log_subject ON audit_log (subject, at);
-- Webhooks that were given up (`attention`).
CREATE INDEX webhook_events_ended ON webhook_events (partner_id, created_at) WHERE state = 'ended';
