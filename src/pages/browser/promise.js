// Verifies a signed promise as the client library does, in this page alone. Nothing leaves it.
import { verifyPromise } from '../../sdk/verify-promise.ts';

const at = (id) => document.getElementById(id);
const IDS = ['promise', 'trusted', 'published'];

function note(text, tone) {
	const element = document.createElement('p');
	element.className = `note ${tone}`;
	element.textContent = text;
	return element;
}

function jsonOf(id, what) {
	const text = at(id).value.trim();
	if (text === '') return null;
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

async function verdict() {
	const trusted = at('trusted').value.split(/\s+/).filter(Boolean);
	try {
		const promise = jsonOf('promise', 'The promise');
		if (promise === null || trusted.length === 0) return [];
		const published = jsonOf('published', 'The list of keys');
		const statement = await verifyPromise(promise, { trusted, published });
		return [
			note('It is signed with a key that you trust. Compare each line with your order:', 'good'),
			...shown(statement),
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
	return [list];
}

let run = 0;
async function work() {
	const mine = ++run;
	const said = await verdict();
	// A newer letter was typed meanwhile.
	if (mine === run) at('verdict').replaceChildren(...said);
}

for (const id of IDS) at(id).addEventListener('input', work);
at('checker').hidden = false;
