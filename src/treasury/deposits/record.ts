/**
 * Asks a chain for deposits and records them. What the chain has now is compared with the recorded rows, and the
 * difference is written. So a reorganisation needs no code of its own.
 */
import { raisedBlocks } from '../../catalog/confirmations.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain, DepositRef, Depth, ObservedDeposit, Scan } from '../../chains/port.ts';
import type { DepositRow } from '../../orders/table.ts';
import { runInBatches } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { pick } from '../../platform/pick.ts';
import type { Market } from '../../pricing/market.ts';
import { type Judged, judgedBy, onItsWay } from './not-deep.ts';
import { mayOverflow, withoutRecorded } from './overflows.ts';
import { type Awaiting, dustCounts, openDeposits, ordersAt, recordedAmong, upsertDeposit } from './store.ts';
import { distinct } from './unattributed.ts';
import type { UnseenSince } from './unseen.ts';
import { DUST_PER_ORDER, refOf, watchedAddresses } from './watch-list.ts';

/** From here on an amount does not fit the sums of the books (`exact-sum.ts`). It is far more than any coin has. */
const MAX_AMOUNT = 10n ** 36n;

export interface Poll {
	readonly db: Db;
	readonly network: NetworkName;
	readonly chain: Chain;
	/** For a deposit's value. Null while there is none: then every deposit needs the most confirmations. */
	readonly market: Market | null;
	readonly now: number;
	/**
	 * Unix milliseconds of the last poll that worked. A new deposit may have come right after it, and a payer is not
	 * late because we did not poll.
	 */
	readonly lastPollAt: number | null;
	/** The same for assets that later polls could not see. */
	readonly unseenSince: UnseenSince;
	/** Counts polls: the older addresses are polled in turn. */
	readonly count: number;
	/** No deposit on record is open, and nobody waits for one. */
	readonly isIdle: boolean;
}

/** How deep a deposit is that counts. */
export interface DepositDepth {
	readonly orderId: string;
	readonly confirmations: number;
	/** The value that is on its way with it, which decides how deep it must be. */
	readonly usdCents: number | null;
	/** Blocks that the operator asks beyond the catalog. */
	readonly raisedBlocks: number;
}

export interface Seen extends Scan {
	/** The depths of the deposits that this poll saw and that were not final before. */
	readonly depths: readonly DepositDepth[];
	/** Orders whose deposits changed. */
	readonly orderIds: string[];
	/** Payments to other addresses of ours, the hot wallet's among them, and dust that is not recorded. */
	readonly elsewhere: readonly ObservedDeposit[];
	/** Things that could not be read or credited, one line each, for the log and the operator. */
	readonly anomalies: readonly string[];
}

/**
 * The caller stores `cursor`, where the next poll begins, only after this has returned. @throws where the chain does
 * not answer
 */
export async function pollChain(asked: Poll, cursor: string | null): Promise<Seen> {
	const { db, network, chain } = asked;
	const { feePayer, onlyRecorded: byBalance } = chain.sweeping ?? {};
	const watch = { network, since: asked.lastPollAt ?? asked.now, poll: asked.count, feePayer, byBalance };
	const scan = onceEach(await chain.scan(cursor, (which) => watchedAddresses(db, { ...watch, which }), asked.isIdle));
	const byAddress = await ordersAt(db, network, [...new Set(scan.deposits.map(({ address }) => address))]);
	const ours = scan.deposits.flatMap((deposit) => {
		const order = byAddress.get(deposit.address);
		return order?.fromAsset === deposit.asset ? [toOrder(deposit, order)] : [];
	});
	const credible = ours.filter(({ amount }) => amount < MAX_AMOUNT);
	const recorded = new Map((await recordedAmong(db, network, credible)).map((row) => [keyOf(row), row]));
	const observed = credible.map((each): Compared => ({ deposit: each, depth: each, row: recorded.get(keyOf(each)) }));

	// A deposit that is recorded with another amount is queried as recorded: the old amount must be dropped first.
	const right = observed.filter((each) => !isChanged(each));
	const seenNow = new Set(right.map(({ deposit }) => keyOf(deposit)));
	const onWay = asked.isIdle ? [] : await openDeposits(db, network);
	const missing = onWay.filter((row) => !seenNow.has(keyOf(row)));
	const depths = missing.length > 0 ? await chain.depths(missing.map(refOf)) : [];
	const unknown = missing.filter((_, i) => depths[i] === 'unknown');
	const known = missing.flatMap((row, i): Compared[] => {
		const depth = depths[i] ?? null;
		return depth === 'unknown' ? [] : [{ deposit: { ...row, amount: BigInt(row.amount) }, row, depth }];
	});

	const compared = [...observed, ...known];
	const open = compared.filter(({ row }) => row?.state !== 'final');
	const poll = { ...asked, ...(await judgedBy(asked, open)) };
	const { kept, flooded } = await withoutFlood(
		db,
		recorded,
		right.flatMap((each) => changedRow(poll, each)),
	);
	const rows = [...kept, ...known.flatMap((each) => changedRow(poll, each))];
	const late = rows.filter((row) => {
		const order = byAddress.get(row.address);
		return order && mayOverflow(order, asked.now) && row.state !== 'gone' && !recorded.has(keyOf(row));
	});
	await runInBatches(db, [...(await withoutRecorded(db, late)), ...rows.map((row) => upsertDeposit(db, row))]);
	const absurd = ours.filter(({ amount }) => amount >= MAX_AMOUNT);
	const onRecord = new Set([...recorded.keys(), ...rows.map(keyOf)]);
	return {
		...scan,
		elsewhere: scan.deposits.filter((deposit) => deposit.amount < MAX_AMOUNT && !onRecord.has(keyOf(deposit))),
		depths: compared.flatMap((each) => depthOf(poll, each)),
		orderIds: [...new Set(rows.map(({ orderId }) => orderId))],
		anomalies: [
			...(scan.unread ?? []),
			...unknown.map(
				({ orderId, txId }) =>
					`the node cannot say what became of deposit ${txId} to order ${orderId}: the record stays as it is`,
			),
			...absurd.map(({ orderId }) => `a deposit to order ${orderId} of more coins than there are is not recorded`),
			...flooded.map(
				(orderId) => `order ${orderId} is flooded with dust; only ${DUST_PER_ORDER} dust deposits are recorded`,
			),
		],
	};
}

/** A payment that a node lists twice would take two of an order's places for dust. */
const onceEach = (scan: Scan): Scan => ({ ...scan, deposits: distinct(scan.deposits) });

/** Leaves out new dust beyond the `DUST_PER_ORDER` that are recorded of one order. */
async function withoutFlood(
	db: Db,
	recorded: ReadonlyMap<string, DepositRow>,
	rows: readonly DepositRow[],
): Promise<{ kept: DepositRow[]; flooded: string[] }> {
	const isNewDust = (row: DepositRow) => row.dust && !recorded.has(keyOf(row));
	const counts = await dustCounts(db, [...new Set(rows.filter(isNewDust).map(({ orderId }) => orderId))]);
	const flooded = new Set<string>();
	const kept = rows.filter((row) => {
		if (!isNewDust(row)) return true;
		const count = counts.get(row.orderId) ?? 0;
		counts.set(row.orderId, count + 1);
		if (count >= DUST_PER_ORDER) flooded.add(row.orderId);
		return count < DUST_PER_ORDER;
	});
	return { kept, flooded: [...flooded] };
}

/** The address is part of it: a contract may pay several addresses in one transaction. */
const keyOf = ({ txId, position, address }: Pick<DepositRef, 'txId' | 'position' | 'address'>): string =>
	`${txId} ${position} ${address}`;

type OrderDeposit = DepositRef & Pick<DepositRow, 'orderId' | 'dust'>;

/** A deposit as the chain has it now and as it is recorded. */
interface Compared {
	readonly deposit: OrderDeposit;
	/** Null: the chain has it no more. */
	readonly depth: Depth | null;
	readonly row: DepositRow | undefined;
}

const toOrder = (deposit: ObservedDeposit, { id, dustBelow }: Awaiting): OrderDeposit & Depth => ({
	...deposit,
	orderId: id,
	dust: deposit.amount < BigInt(dustBelow),
});

/** A deposit comes back with another amount only after it was dropped: an amount in a block does not change. */
const isChanged = ({ row, deposit }: Compared): boolean =>
	row?.state === 'seen' && row.amount !== deposit.amount.toString();

/** The row as it should be; none where the recorded row is right. A final deposit never changes. */
function changedRow(poll: Poll & Judged, { deposit, depth, row }: Compared): DepositRow[] {
	if (row?.state === 'final') return [];
	const state = !depth
		? 'gone'
		: isFinal(poll.network, depth, onItsWay(poll, deposit, depth), poll.raised)
			? 'final'
			: 'seen';
	if (row?.state === state) return [];
	return [
		{
			...pick(deposit, 'txId', 'position', 'orderId', 'address', 'asset', 'dust'),
			network: poll.network,
			amount: deposit.amount.toString(),
			state,
			setAside: row?.setAside ?? false,
			payoutId: null,
			firstSeenAt: row?.firstSeenAt ?? poll.unseenSince[deposit.asset] ?? poll.lastPollAt ?? poll.now,
			// For a dropped deposit too: its 24 hours begin with the poll that misses it, also after an outage.
			lastSeenAt: poll.now,
		},
	];
}

/** None of dust, of what was dropped, and of what was final before. */
function depthOf(poll: Poll & Judged, { deposit, depth, row }: Compared): DepositDepth[] {
	if (!depth || row?.state === 'final' || deposit.dust) return [];
	const { orderId } = deposit;
	const usdCents = onItsWay(poll, deposit, depth);
	return [{ orderId, confirmations: depth.confirmations, usdCents, raisedBlocks: raisedBlocks(poll.raised, usdCents) }];
}
