/** What left the hot wallets: each payment is one that is owed, of that amount, to that recipient, and left once. */
import { isAssetId } from '../../../src/catalog/assets.ts';
import type { Crowd } from '../people/crowd.ts';
import { OWN_ADDRESSES } from '../people/operators.ts';
import type { Service } from '../service.ts';
import { networksOf } from '../settings.ts';
import { cosignedVersions } from './judges.ts';
import { dollarsOf } from './prices.ts';
import { type Row, rowsOf } from './rows.ts';

export function paidWrongly(crowd: Crowd): string[] {
	const owed = new Map(
		[...cosignedVersions(crowd), ...rowsOf(crowd, VERSIONS)].map((row) => [String(row['tx_id']), row]),
	);
	const byOwner = new Map<unknown, number>();
	const wrong: string[] = [];
	for (const paid of payments(crowd)) {
		const { tx_id, recipient } = paid;
		const row = owed.get(String(tx_id));
		if (!row) {
			if (crowd.forgotten.has(String(tx_id))) continue;
			wrong.push(`there is the payment ${tx_id}, which no transaction names`);
			continue;
		}
		byOwner.set(row['owner'], (byOwner.get(row['owner']) ?? 0) + 1);
		const isRight =
			row['asset'] === paid['asset'] &&
			row['amount'] === paid['amount'] &&
			plain(row['to_address']) === plain(recipient);
		if (!isRight) wrong.push(`the payment ${tx_id} is not what is owed`);
	}
	for (const [owner, count] of byOwner) if (count > 1) wrong.push(`the transaction ${owner} was paid ${count} times`);
	return [...paidElsewhere(crowd), ...wrong, ...paidTwice(crowd), ...paidTooMuch(crowd)];
}

export function paidElsewhere(crowd: Crowd): string[] {
	const mayReceive = new Set([...recipients(crowd), ...OWN_ADDRESSES, ...crowd.payoutAddresses]);
	const stolenTo = new Set(crowd.stolenTo);
	return payments(crowd).flatMap(({ tx_id, recipient }) => {
		if (stolenTo.has(String(recipient))) return [`the payment ${tx_id} went to an outsider`];
		return mayReceive.has(String(recipient)) ? [] : [`the payment ${tx_id} went to a stranger`];
	});
}

const VERSIONS = `SELECT tx_id, id AS owner, asset, to_address, amount FROM transactions WHERE tx_id IS NOT NULL
	UNION SELECT v.tx_id, t.id AS owner, t.asset, t.to_address, t.amount FROM transaction_versions v
	JOIN transactions t ON t.id = v.transaction_id`;

export const payments = ({ service }: Crowd): Row[] => [
	...ofLedgers(service, 'SELECT tx_id, asset, recipient, amount FROM payouts WHERE sender IS NULL'),
	...service.nodePayments(),
];

/** Of tokens that are not listed, from pay-in addresses. */
export const tokenPayments = ({ service }: Crowd): Row[] =>
	ofLedgers(service, 'SELECT tx_id, sender, recipient, amount FROM payouts WHERE sender IS NOT NULL');

const ofLedgers = (service: Service, query: string): Row[] =>
	networksOf(service.setting)
		.filter((network) => !service.nodeOf(network))
		.flatMap((network) => service.object('SANDBOX_LEDGER', network).disk.sqlite.prepare(query).all());

const deposits = ({ service }: Crowd): Row[] => [
	...ofLedgers(service, 'SELECT address, asset, amount FROM deposits').filter(({ asset }) => isAssetId(String(asset))),
	...service.nodeDeposits(),
];

const recipients = ({ stories }: Crowd): string[] =>
	stories.flatMap(({ toAddress, refundAddress }) => [toAddress, refundAddress]);

/** A deposit is answered by one payment; no order has more payments than it has deposits, and one payout. */
function paidTwice(crowd: Crowd): string[] {
	const counts = rowsOf(
		crowd,
		`SELECT o.id, (SELECT count(*) FROM transactions t WHERE t.order_id = o.id AND t.tx_id IS NOT NULL) AS paid,
			(SELECT count(*) FROM deposits d WHERE d.order_id = o.id AND d.state = 'final') AS final FROM orders o`,
	);
	return counts
		.filter(({ paid, final }) => Number(paid) > Number(final))
		.map(({ id, paid, final }) => `order ${id} has ${final} final deposits and ${paid} payments`);
}

/** What left for an order is worth no more than what came for it, at the one price that the honest sources have. */
export function paidTooMuch(crowd: Crowd): string[] {
	const byAddress = new Map(crowd.stories.map((story) => [plain(story.payIn), story]));
	const worth = new Map<string, number>();
	for (const { address, asset, amount } of deposits(crowd)) {
		const key = byAddress.get(plain(address))?.key;
		if (key) worth.set(key, (worth.get(key) ?? 0) + dollarsOf(String(asset), String(amount)));
	}
	const byRecipient = new Map(
		crowd.stories.flatMap(
			({ toAddress, refundAddress, key }) =>
				[
					[toAddress, key],
					[refundAddress, key],
				] as const,
		),
	);
	for (const { recipient, asset, amount } of payments(crowd)) {
		const key = byRecipient.get(String(recipient));
		if (key) worth.set(key, (worth.get(key) ?? 0) - dollarsOf(String(asset), String(amount)));
	}
	return [...worth]
		.filter(([, left]) => left < -TOLERATED_USD)
		.map(([key, left]) => `${key} received ${-left} dollars too much`);
}

/** Ethereum's addresses have two spellings. */
const plain = (address: unknown): string =>
	String(address).startsWith('0x') ? String(address).toLowerCase() : String(address);

/** A rate may be off by what the signer tolerates. */
const TOLERATED_USD = 30;
