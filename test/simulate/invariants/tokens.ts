/** A token that is not listed goes back to its payer alone, by a transaction that is on record, and no more than came. */
import type { Crowd } from '../people/crowd.ts';
import { tokenPayments } from './payments.ts';
import { rowsOf } from './rows.ts';

export function tokensGoneWrong(crowd: Crowd): string[] {
	const stories = new Map(crowd.stories.map((story) => [story.payIn, story]));
	const known = new Set(rowsOf(crowd, "SELECT tx_id FROM transactions WHERE kind = 'token'").map(({ tx_id }) => tx_id));
	const left = new Map<string, bigint>();
	const add = (address: string, amount: bigint) => left.set(address, (left.get(address) ?? 0n) + amount);
	for (const { address, amount } of crowd.tokens) add(address, amount);
	const sent = tokenPayments(crowd);
	for (const { sender, amount } of sent) add(String(sender), -BigInt(String(amount)));
	return [
		...sent
			.filter(({ sender, recipient }) => stories.get(String(sender))?.refundAddress !== recipient)
			.map(({ tx_id }) => `the token of ${tx_id} went to another address than that of its payer`),
		...sent.filter(({ tx_id }) => !known.has(tx_id)).map(({ tx_id }) => `no transaction names ${tx_id}`),
		...[...left].filter(([, amount]) => amount < 0n).map(([address]) => `more of a token left ${address} than came`),
	];
}

/** At rest. Where somebody wrote the order's rows the signer stops its return, which `attention` names. */
export function tokensUnderWay(crowd: Crowd): string[] {
	const tampered = new Set(crowd.stories.filter(({ isTampered }) => isTampered).map(({ payIn }) => payIn));
	return rowsOf(
		crowd,
		`SELECT unlisted_tokens.order_id, address, blocked_kind FROM unlisted_tokens LEFT JOIN transactions ON transactions.id = return_id
		 WHERE asked_at IS NOT NULL`,
	)
		.filter(({ address, blocked_kind }) => blocked_kind === null || !tampered.has(String(address)))
		.map(({ order_id }) => `the token of ${order_id} neither goes back nor says why`);
}
