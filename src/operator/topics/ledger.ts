/** `ledger check`: do the books agree with the wallets? `ledger adjust`: what differs for good is booked. */
import * as z from 'zod/mini';
import { assetId, coinAmount, flag, needed, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

const piece = z.optional(z.int().check(z.minimum(0)));

export const ledger = topicOf('the books', {
	check: declare({
		summary: 'prove the kept balances from the entries and compare them with what the wallets hold',
		button: 'Check the books',
		// It stores what it has proven, and nothing else.
		reads: true,
		details:
			'Exit status 1 if anything differs, else 3 if a chain could not be asked. What cannot be compared is listed as unchecked, and what transactions under way explain, by amount, fee and time, as moving. ATTENTION names every outgoing transaction that waits, and why, those that belong to no order too. The entries are proven in pieces of a thousand orders: each run takes those with new entries, and three others in rotation. --full takes all; where one call does not suffice, next says how to go on. Transactions lower the books, so the signer is asked whether it has signed them: unsigned lists those that it has not, or not so, which somebody wrote into the database. A signer whose journal was lost or restored cannot know what is older: older is their number, and no difference.',
		options: {
			full: flag('prove all entries, from the first piece on'),
			from: { kind: 'integer', value: 'PIECE', schema: piece, help: 'prove all entries, from this piece on' },
		},
		exitRules: [
			{ field: 'differences', message: 'the books differ; the answer says where' },
			{ field: 'unchecked', status: 3, message: 'not every wallet could be compared; the answer says which not' },
			{ field: 'unasked', status: 3, message: 'the signer was not asked about every transaction; run it again' },
			{ field: 'unproven', status: 3, message: 'not every new entry was proven; the answer says how to go on' },
		],
		sections: {
			unbalanced: ['order', 'asset', 'sum'],
			kept: ['where', 'what', 'asset', 'kept', 'found'],
			unsigned: ['transaction', 'what'],
			wallets: ['asset', 'books', 'held', 'difference', 'leftBehind', 'unrecorded', 'result', 'reason'],
			attention: ['id', 'orderId', 'kind', 'state', 'network', 'asset', 'amount', 'since', 'cause'],
		},
	}),
	adjust: declare({
		summary: 'book what a wallet holds beyond the books, or less than they say',
		button: 'Adjust the books',
		details:
			'For a difference that `ledger check` shows, that you have understood, and that never ends by itself: after D1 was set back, say. It is booked to the reserve, up or down as the wallet is, and at most as much as differs. What no transaction of ours explains may be a theft: adjust the books only once you know that it is none.',
		arguments: { asset: { name: 'ASSET', schema: assetId, help: 'the asset, as `ledger check` shows it' } },
		options: {
			amount: needed('A', coinAmount, 'coins, without a sign: at most what differs'),
			reason: why('R', 'why it differs, for the audit log'),
		},
	}),
});
