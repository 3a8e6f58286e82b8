// Verifies a signed promise as the client library does, in this page alone. Nothing leaves it.
import { verifyPromise } from '../../sdk/verify-promise.ts';

import { at, note, watch } from './shared/checker.js';

function jsonOf(text, what) {
	if (text.trim() === '') return null;
	try {
		return JSON.parse(text);
	} catch {
		throw new Error(`${what} is no JSON: paste the whole file.`);
	}
}

const paid = ({ kind, amount, code, txId }) =>
	`${kind === 'payout' ? 'Paid' : 'Sent back'} ${amount ?? '?'} ${code ?? ''} in ${txId}.`;

const linesOf = ({ at: seconds, id, from, to, back, floor, marginBps, payments }) => [
	`Order ${id}, signed ${new Date(seconds * 1000).toISOString()}.`,
	`It takes ${from.code} on ${from.network} at ${from.address},`,
	`pays ${to.code} on ${to.network} to ${to.address}, at the rate less ${marginBps} basis points,`,
	...(floor ? [`where that is not less than ${floor.minToAmount} for ${floor.fromAmount},`] : []),
	`or sends ${from.code} back to ${back.address}.`,
	...(payments.length > 0 ? payments.map(paid) : ['Until then it had signed no payment.']),
];

async function verdict(given) {
	const trusted = given.trusted.split(/\s+/).filter(Boolean);
	try {
		const promise = jsonOf(given.promise, 'The promise');
		if (promise === null || trusted.length === 0) return [];
		const published = jsonOf(given.published, 'The list of keys');
		const statement = await verifyPromise(promise, { trusted, published });
		return [
			note('It is signed with a key that you trust. Compare each line with your order:', 'good'),
			shown(statement),
		];
	} catch (error) {
		return [note(`It proves nothing: ${error.message}`, 'bad')];
	}
}

function shown(statement) {
	const list = document.createElement('ul');
	for (const line of linesOf(statement)) {
		const item = document.createElement('li');
		item.textContent = line;
		list.append(item);
	}
	return list;
}

watch(['promise', 'trusted', 'published'], verdict, (said) => at('verdict').replaceChildren(...said));
