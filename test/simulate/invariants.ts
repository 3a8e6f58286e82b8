/** What must hold: at any time, when everything has come to rest, and when the orders are archived. */
import { type AssetId, assetOf, isNative } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { told, untrueToldOrders } from './invariants/answers.ts';
import { unpaidIsCounted } from './invariants/cap.ts';
import { brokenDust } from './invariants/dust.ts';
import { belowFloor } from './invariants/floors.ts';
import { wrongCalls } from './invariants/house.ts';
import { unjournaled } from './invariants/judges.ts';
import { paidWrongly } from './invariants/payments.ts';
import { phantoms } from './invariants/phantoms.ts';
import { wrongPromises } from './invariants/promises.ts';
import { rowsOf } from './invariants/rows.ts';
import { aboveAddressCap, aboveCap, nonceTwice } from './invariants/signer.ts';
import { wrongHeads } from './invariants/solvency.ts';
import { wrongSteps } from './invariants/steps.ts';
import { countedTooMuch, returnedTooMuch, straysLeft } from './invariants/strays.ts';
import { tokensGoneWrong, tokensUnderWay } from './invariants/tokens.ts';
import { wrongExposure, wrongTrades } from './invariants/trades.ts';
import { unanswered, undecided, unfinished, unnamed, unseen, unsent } from './invariants/waiting.ts';
import type { Crowd } from './people/crowd.ts';
import { robberies } from './people/persons.ts';
import { HOT_COINS, HOT_SUN, networksOf } from './settings.ts';

/** Each broken one is a sentence. */
export function brokenAtAnyTime(crowd: Crowd): string[] {
	return [
		...crowd.wrong,
		...crowd.stories.flatMap(({ wrong, key }) => wrong.map((what) => `${key}: ${what}`)),
		...unbalanced(crowd),
		...paidWrongly(crowd),
		...belowFloor(crowd),
		...robberies(crowd),
		...wrongSteps(crowd),
		...sharedAddresses(crowd),
		...wrongPromises(crowd),
		...wrongHeads(crowd),
		...told(crowd),
		...aboveCap(crowd),
		...aboveAddressCap(crowd),
		...nonceTwice(crowd),
		...unpaidIsCounted(crowd),
		...brokenDust(crowd),
		...returnedTooMuch(crowd),
		...countedTooMuch(crowd),
		...tokensGoneWrong(crowd),
		...wrongTrades(crowd),
		...wrongCalls(crowd),
		...unjournaled(crowd),
	];
}

/** What is still on its way. */
export const whatWaits = (crowd: Crowd): string[] => [
	...unfinished(crowd),
	...undecided(crowd),
	...unsentEvents(crowd),
	// An address of a month ago is asked in one poll of a hundred.
	...unseen(crowd),
	...straysLeft(crowd),
	...tokensUnderWay(crowd),
];

/** Once faults have ended for long enough. */
export async function brokenAtRest(crowd: Crowd): Promise<string[]> {
	const { attention, books } = await operatorReads(crowd);
	return [
		...brokenAtAnyTime(crowd),
		...unfinished(crowd),
		...undecided(crowd),
		...unsent(crowd),
		...unnamed(crowd, attention),
		...unanswered(crowd, attention),
		...unsentEvents(crowd),
		...straysLeft(crowd),
		...tokensUnderWay(crowd),
		...(await untrueToldOrders(crowd)),
		...(await wrongExposure(crowd)),
		...books,
	];
}

export async function brokenInArchive(crowd: Crowd): Promise<string[]> {
	const { books } = await operatorReads(crowd);
	return [...crowd.wrong, ...(await untrueToldOrders(crowd)), ...books];
}

interface Wallet {
	readonly asset: AssetId;
	/** Coins that the chain has more than the books; null where it was not asked. */
	readonly difference: string | null;
	readonly leftBehind: string | null;
	/** What stands in no account yet. */
	readonly unrecorded: string | null;
}

interface Check {
	readonly unproven: number;
	readonly unbalanced: readonly object[];
	readonly kept: readonly object[];
	readonly unsigned: readonly object[];
	readonly wallets: readonly Wallet[];
}

interface History {
	readonly found: readonly { readonly what: string; readonly sentence: string }[];
}

/** The books are the chains, but for the lies that are on record and the coins that came when nobody watched. */
async function operatorReads(crowd: Crowd): Promise<{ attention: string; books: string[] }> {
	const ask = <T>(command: string, input: object) => crowd.asked((client) => client.operate<T>(command, input));
	const attention = JSON.stringify(await ask('attention', {}));
	const { unproven, unbalanced: orders, kept, unsigned, wallets } = await ask<Check>('ledger/check', { full: true });
	const { found } = crowd.isSetBack ? { found: [] } : await ask<History>('history/verify', {});
	// Where nothing runs for a day, what was under way is written with the time of before.
	const bent = found.filter(({ what }) => !what.startsWith('inserted'));
	const lies = phantoms(crowd);
	const excused = (asset: AssetId) => (lies.get(asset) ?? 0n) + forgotten(crowd, asset);
	const isRight = ({ asset, difference, leftBehind, unrecorded }: Wallet) => {
		if (difference === null) return !isUsed(crowd, asset);
		const beyond = toUnits(asset, difference) + toUnits(asset, unrecorded ?? '0') + excused(asset);
		return (beyond === 0n || isOpening(asset, beyond)) && !leftBehind?.startsWith('-');
	};
	const wrong = [...orders, ...kept, ...unsigned, ...wallets.filter((wallet) => !isRight(wallet))];
	return {
		attention,
		books: [
			...(wrong.length > 0 ? [`ledger check: ${JSON.stringify(wrong)}, lies: ${[...lies].join(' ')}`] : []),
			...bent.slice(0, 1).map(({ sentence }) => `history verify: ${sentence}`),
			...(unproven > 0 ? [`ledger check: ${unproven} pieces are not proven`] : []),
		],
	};
}

/** What was paid and is not in a database that was set back. */
const forgotten = (crowd: Crowd, asset: AssetId): bigint =>
	[...crowd.forgotten.values()].reduce((sum, paid) => (paid.asset === asset ? sum + paid.amount : sum), 0n);

/**
 * The reserve of the node is booked once one instance has seen it for many blocks, which no instance here lives for. Until
 * then it is `unrecorded`, but for what a sweep under way may bring.
 */
const isOpening = (asset: AssetId, beyond: bigint): boolean =>
	(asset === 'ETH' && beyond === HOT_COINS) || (asset === 'TRX' && beyond === HOT_SUN);

/** The nodes of this world have no contracts, so nobody can say what there is of tokens. */
const isUsed = ({ service, setting }: Crowd, asset: AssetId): boolean =>
	networksOf(setting).some((name) => name === assetOf(asset).network) &&
	(!service.nodeOf(assetOf(asset).network) || isNative(assetOf(asset)));

const toUnits = (asset: AssetId, coins: string): bigint =>
	coins.startsWith('-')
		? -toBaseUnits(coins.slice(1), assetOf(asset).decimals)
		: toBaseUnits(coins, assetOf(asset).decimals);

/** Each order's entries sum to zero per asset. */
function unbalanced(crowd: Crowd): string[] {
	const sums = new Map<string, bigint>();
	for (const { order_id, asset, amount } of rowsOf(crowd, 'SELECT order_id, asset, amount FROM ledger_entries')) {
		const key = `${order_id} ${asset}`;
		sums.set(key, (sums.get(key) ?? 0n) + BigInt(String(amount)));
	}
	return [...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => `the books of ${key} are off by ${sum}`);
}

/** Two orders never show one address, whatever was told to whom. */
function sharedAddresses({ stories }: Crowd): string[] {
	const owners = new Map<string, string>();
	return stories.flatMap(({ payIn, id }) => {
		if (!payIn || !id) return [];
		const other = owners.get(payIn);
		owners.set(payIn, id);
		return other && other !== id ? [`the orders ${other} and ${id} show one address`] : [];
	});
}

/** Each event arrived at each endpoint that it goes to, unless its retries there have ended. */
function unsentEvents(crowd: Crowd): string[] {
	const received = new Set(crowd.received.map(({ id, path }) => `${id} ${path}`));
	return rowsOf(
		crowd,
		'SELECT event_id, state, url FROM webhook_events JOIN webhook_endpoints e ON e.id = webhook_events.endpoint_id',
	)
		.map(({ event_id, state, url }) => ({ event: `${event_id} ${new URL(String(url)).pathname}`, state }))
		.filter(({ event, state }) => state === 'due' || (state === 'delivered' && !received.has(event)))
		.map(({ event, state }) => `the event ${event} (${state}) never arrived`);
}
