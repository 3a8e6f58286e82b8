/**
 * The proofs of solvency: at any time each head goes on from the one before it and is of the report that is stored with it.
 * Where nothing moves, the newest report has every debt, order by order, that the rows say when they are added up here.
 */
import type { AssetId } from '../../../src/catalog/assets.ts';
import type { HeadStatement } from '../../../src/ports/heads.ts';
import type { SignedStatement } from '../../../src/ports/promises.ts';
import type { Creditor, SolvencyStatement } from '../../../src/ports/solvency.ts';
import { secretOf } from '../../../src/treasury/solvency/report.ts';
import { blindedId, digestOf } from '../../../src/treasury/solvency/tree.ts';
import type { Crowd } from '../people/crowd.ts';
import { type Row, rowsOf } from './rows.ts';

const HOUR = 3_600_000;
/** The cron has run in it, and what it asks for is done. */
const PROVEN_MILLISECONDS = 90_000;
/** An order that moves meanwhile makes the comparison worthless. */
const TRIES = 3;

export function wrongHeads(crowd: Crowd): string[] {
	let before: string | null = null;
	return rowsOf(crowd, 'SELECT * FROM solvency_reports WHERE head IS NOT NULL ORDER BY head_number').flatMap((row) => {
		const { statement: text } = JSON.parse(String(row['head'])) as SignedStatement;
		const { previous, position, digest } = JSON.parse(text) as HeadStatement;
		const isNext = before === null || previous === digestOf(before);
		before = text;
		const isOfIt = row['statement'] === null || digestOf(String(row['statement'])) === digest;
		return [
			...(isNext ? [] : [`the head of hour ${position} does not go on from the one before it`]),
			...(isOfIt && position === row['number'] ? [] : [`the head of hour ${position} is of another report`]),
		];
	});
}

/** An hour passes, and its report is compared with the rows. */
export async function wrongDebts(crowd: Crowd, most = TRIES): Promise<string[]> {
	let wrong: string[] = [];
	for (let tries = 0; tries < most; tries++) {
		crowd.world.leap(HOUR);
		await crowd.world.run(crowd.world.now + PROVEN_MILLISECONDS);
		wrong = comparedWithRows(crowd);
		if (wrong.length === 0) return [];
	}
	return wrong;
}

function comparedWithRows(crowd: Crowd): string[] {
	const [report] = rowsOf(crowd, 'SELECT * FROM solvency_reports WHERE head IS NOT NULL ORDER BY number DESC LIMIT 1');
	if (!report || report['statement'] === null) return ['there is no proof of solvency'];
	const { number, debts } = JSON.parse(String(report['statement'])) as SolvencyStatement;
	if (number !== Math.floor(crowd.world.now / HOUR)) return [`the newest proof of solvency is of the hour ${number}`];
	const leaves = new Map(
		rowsOf(crowd, `SELECT leaves FROM solvency_debts WHERE number = ${number}`).flatMap(
			(row) => JSON.parse(String(row['leaves'])) as [string, string][],
		),
	);
	const owed = owedByRows(crowd);
	const missing = owed.filter(({ creditor, id, asset, tokenHash, amount }) => {
		const secret = secretOf({ creditor, id, tokenHash }, String(report['salt']));
		return leaves.get(blindedId({ number, asset, creditor, id, secret })) !== amount.toString();
	});
	const named = missing.map(({ creditor, id, asset, amount }) => `${amount} ${asset} of ${creditor} ${id}`);
	const sums = debts.filter(
		({ asset, sum }) =>
			BigInt(sum) !== owed.reduce((all, debt) => (debt.asset === asset ? all + debt.amount : all), 0n),
	);
	return [
		...named.map((debt) => `the proof of solvency has not ${debt}`),
		...sums.map(({ asset, sum }) => `the proof of solvency has ${sum} ${asset}, and the rows say otherwise`),
	];
}

interface Owed {
	readonly creditor: Creditor;
	readonly id: string;
	readonly tokenHash: string | null;
	readonly asset: AssetId;
	amount: bigint;
}

/** By the plainest reading of each table; nothing of it is shared with the service. */
function owedByRows(crowd: Crowd): Owed[] {
	const owed = new Map<string, Owed>();
	const tokens = new Map(
		rowsOf(crowd, 'SELECT id, token_hash FROM orders').map((row) => [row['id'], String(row['token_hash'])]),
	);
	const add = (creditor: Creditor, id: unknown, asset: unknown, amount: bigint) => {
		const tokenHash = creditor === 'order' ? (tokens.get(id) ?? null) : null;
		const key = `${creditor} ${id} ${asset}`;
		const known = owed.get(key) ?? { creditor, id: String(id), tokenHash, asset: asset as AssetId, amount: 0n };
		owed.set(key, { ...known, amount: known.amount + amount });
	};
	const unsent = new Set(
		rowsOf(crowd, "SELECT id FROM transactions WHERE state IN ('planned', 'signed')").map(({ id }) => id),
	);
	for (const row of rowsOf(crowd, "SELECT * FROM deposits WHERE state = 'final'"))
		if (row['payout_id'] === null || isRefund(crowd, row, unsent))
			add('order', row['order_id'], row['asset'], amountOf(row));
	for (const row of rowsOf(
		crowd,
		'SELECT e.*, o.partner_id FROM ledger_entries e LEFT JOIN orders o ON o.id = e.order_id',
	)) {
		if (row['account'] === 'payable') add('order', row['order_id'], row['asset'], -amountOf(row));
		if (row['account'] === 'partnerPending' || row['account'] === 'partner')
			add('partner', row['partner_id'], row['asset'], -amountOf(row));
		if (row['account'] === 'unreturned') add('nobody', '', row['asset'], -amountOf(row));
	}
	for (const row of rowsOf(crowd, 'SELECT * FROM strays'))
		if (row['is_listed'] === 0)
			add('order', row['order_id'], row['asset'], BigInt(String(row['counted'])) - BigInt(String(row['taken'])));
	for (const row of rowsOf(
		crowd,
		"SELECT t.*, s.order_id AS of FROM transactions t JOIN strays s ON s.network = t.network AND s.address = t.pay_in_address AND s.asset = t.asset WHERE t.kind = 'stray'",
	))
		if (unsent.has(row['id'])) add('order', row['of'], row['asset'], amountOf(row));
	for (const row of rowsOf(
		crowd,
		`SELECT t.asset, t.amount, p.partner_id, coalesce(t.order_id, s.order_id) AS of FROM transactions t
		LEFT JOIN partner_payouts p ON p.id = t.id
		LEFT JOIN strays s ON s.network = t.network AND s.address = t.pay_in_address AND s.asset = t.asset
		WHERE t.state = 'sent' AND t.final_at IS NOT NULL AND t.settled_tx_id IS NULL
			AND t.kind IN ('payout', 'refund', 'earnings', 'stray')`,
	))
		add(row['partner_id'] === null ? 'order' : 'partner', row['partner_id'] ?? row['of'], row['asset'], amountOf(row));
	for (const row of rowsOf(crowd, 'SELECT * FROM unattributed'))
		add(
			'nobody',
			'',
			row['asset'],
			BigInt(String(row['counted'])) + BigInt(String(row['open'])) - BigInt(String(row['booked'])),
		);
	for (const row of rowsOf(crowd, 'SELECT * FROM overflows'))
		add('nobody', '', row['asset'], BigInt(String(row['counted'])));
	return [...owed.values()].filter(({ amount }) => amount > 0n);
}

const amountOf = (row: Row): bigint => BigInt(String(row['amount']));

const isRefund = (crowd: Crowd, { payout_id: id }: Row, unsent: ReadonlySet<unknown>): boolean =>
	unsent.has(id) && rowsOf(crowd, `SELECT 1 FROM transactions WHERE kind = 'refund' AND id = '${id}'`).length > 0;
