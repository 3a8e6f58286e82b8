/** `earnings …`: what is owed to a partner, and paying it. */
import * as z from 'zod/mini';
import { id, txId } from '../input.ts';
import { type Argument, declare, type Topic } from '../topic.ts';

const PARTNER: Argument = { name: 'PARTNER', names: 'partner', help: 'the partner: id or name' };

export const earnings = {
	about: 'what partners have earned',
	commands: {
		show: declare({
			summary: 'what is owed to a partner, per asset, from the ledger, and their payouts with their states',
			reads: true,
			input: z.strictObject({ partner: id }),
			arguments: { partner: PARTNER },
			options: {},
		}),
		'pay-out': declare({
			summary: 'pay a partner what is owed to them, and send them the webhook',
			button: 'Pay out',
			irreversible: true,
			details:
				'The service pays from its hot wallet and bears the network fee. The answer says what is planned; `earnings show` says how far it is and why it waits. Running it again pays nothing twice, and plans again what the signer refused. With --tx-id it books what you have paid yourself, from a wallet of your own.',
			input: z.strictObject({ partner: id, txId: z.optional(txId) }),
			arguments: { partner: PARTNER },
			options: { txId: { kind: 'text', value: 'T', help: 'the transaction by which you have paid yourself' } },
		}),
	},
} satisfies Topic;
