/** `earnings …`: what is owed to a partner, and paying it. */
import { id, text, txId } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

const positional = {
	partner: { name: 'PARTNER', names: 'partner', schema: id, help: 'the partner: id or name' },
} as const;

export const earnings = topicOf('what partners have earned', {
	show: declare({
		summary: 'what is owed to a partner, per asset, from the ledger, and their payouts with their states',
		button: 'See the earnings',
		reads: true,
		arguments: positional,
	}),
	'pay-out': declare({
		summary: 'pay a partner what is owed to them, and send them the webhook',
		button: 'Pay out',
		irreversible: true,
		details:
			'The service pays from its hot wallet and bears the network fee. The answer says what is planned; `earnings show` says how far it is and why it waits. Running it again pays nothing twice, and plans again what the signer refused. With --tx-id it books what you have paid yourself, from a wallet of your own.',
		arguments: positional,
		options: { txId: text('T', txId, 'the transaction by which you have paid yourself') },
	}),
});
