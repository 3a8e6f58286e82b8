/**
 * `ledger check`: every order's entries sum to zero per asset, the kept balances are what the entries say, and the wallets
 * hold what the books say. The chains change during the comparison: a deposit is on chain a moment before it is on
 * record. So an asset that agrees once is right, and only an asset that differs in every comparison is reported. A
 * difference that the transactions under way can explain is `moving`: their coins and fees may be missing or counted twice
 * (`under-way.ts`). What they cannot explain differs.
 */
import { type Asset, type AssetId, allAssets, assetOf, isAssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { logError } from '../../log.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { objectNamed } from '../../region.ts';
import type { Holding } from '../../treasury/agent-rpc.ts';
import { type Books, proveBooks } from '../../treasury/ledger/check.ts';
import { expectedHoldings } from '../../treasury/ledger/holdings.ts';
import {
	type Explained,
	explainedOf,
	explains,
	NOTHING_EXPLAINED,
	readUnderWay,
} from '../../treasury/ledger/under-way.ts';
import { blockedText } from '../../treasury/transactions/wait-reason.ts';
import { transactionsThatWait } from '../attention/transactions.ts';
import type { Context, RunOf, RunsOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import { isoTime, isoTimeOrNull } from '../shown.ts';
import type { ledger as topic } from '../topics/ledger.ts';

/** Comparisons of an asset that differs, and the pause between them: a deposit is on record after a second or two. */
const COMPARISONS = 4;
const PAUSE_MILLISECONDS = 1_500;
/** Most orders, and most other faults, that one check names. */
const SHOWN = 100;
const DAY_MILLISECONDS = 86_400_000;

const checkLedger: RunOf<typeof topic, 'check'> = async (context, { full, from }) => {
	const { db, env, now } = context;
	const fullFrom = full || from !== undefined ? (from ?? 0) : null;
	const books = await proveBooks(db, keyRing(env, 'SEAL_KEY'), { now, fullFrom });
	const wallets = await checkWallets(context);
	const waiting = await transactionsThatWait(db, await currentSettings(context), now);
	const counted = (wanted: WalletCheck['result']) => wallets.filter(({ result }) => result === wanted).length;
	const kept = faultsOf(books);
	return {
		differences: books.unbalanced.length + kept.length + counted('differs'),
		moving: counted('moving'),
		unchecked: counted('unchecked'),
		unproven: books.waiting + (books.next === null ? 0 : 1),
		orders: books.orders,
		entries: books.entries,
		pieces: books.pieces,
		proven: books.proven,
		oldestProof: isoTimeOrNull(books.oldest || null),
		next: nextStep(books),
		unbalanced: books.unbalanced
			.slice(0, SHOWN)
			.map(({ order, asset, sum }) => ({ order, asset, sum: coins(asset, sum) })),
		kept: kept.slice(0, SHOWN),
		wallets,
		attention: waiting.map(({ transaction, cause, since }) => ({
			...transactionLine(transaction),
			held: blockedText(transaction),
			since: isoTime(since),
			cause,
		})),
		balances: books.balances.map(({ account, asset, amount }) => ({ account, asset, amount: coins(asset, amount) })),
	};
};

function nextStep({ waiting, next }: Books): string {
	if (next !== null) return `run ledger check --from ${next}: the rest of the pieces`;
	return waiting > 0 ? `run it again, or with --full: ${waiting} pieces have new entries` : 'nothing to do';
}

/** What is wrong with the kept balances and the proofs, other than an order that does not balance. */
function faultsOf({ differing, brokenSeals, flows, withoutPiece, wronglyPaid }: Books) {
	const nothing = { asset: null, kept: null, found: null };
	return [
		...differing.map(({ piece, account, asset, kept, found }) => ({
			where: piece === null ? 'totals' : `piece ${piece}`,
			what: account,
			...{ asset, kept: coins(asset, kept), found: coins(asset, found) },
		})),
		...brokenSeals.map((piece) => ({ where: `piece ${piece}`, what: 'its seal does not match', ...nothing })),
		...flows.map(({ network, day }) => ({
			where: `${network}, ${isoTime(day * DAY_MILLISECONDS).slice(0, 10)}`,
			what: 'final transactions are not what was kept',
			...nothing,
		})),
		...withoutPiece.map((order) => ({ where: `order ${order}`, what: 'its entries are in no piece', ...nothing })),
		...wronglyPaid.map((order) => ({
			where: `order ${order}`,
			what: 'its earnings are listed as unpaid and were paid, or neither',
			...nothing,
		})),
	];
}

export const ledgerRuns: RunsOf<typeof topic> = { check: checkLedger };

export async function checkWallets(context: Context) {
	let wallets = await compareAll(context, allAssets(), []);
	for (let done = 1; done < COMPARISONS && wallets.some(isDiffering); done++) {
		await new Promise((wait) => setTimeout(wait, PAUSE_MILLISECONDS));
		const again = wallets.filter(isDiffering).map(({ asset }) => assetOf(asset));
		wallets = await compareAll(context, again, wallets);
	}
	return wallets;
}

type WalletCheck = ReturnType<typeof compared>;

const isDiffering = ({ result }: WalletCheck): boolean => result === 'differs';

/** `before`, with the named assets compared again. */
async function compareAll(
	context: Context,
	assets: readonly Asset[],
	before: readonly WalletCheck[],
): Promise<WalletCheck[]> {
	const networks = [...new Set(assets.map(({ network }) => network))];
	const [expected, underWay, ...held] = await Promise.all([
		expectedHoldings(context.db),
		readUnderWay(context.db),
		...networks.map((network) => holdingsOn(context, network)),
	]);
	const explained = explainedOf(underWay, context.now);
	const found = assets.map(({ code, network }) =>
		compared(
			code,
			expected[code] ?? 0n,
			held[networks.indexOf(network)]?.[code] ?? NOT_REPORTED,
			explained.get(code) ?? NOTHING_EXPLAINED,
		),
	);
	const others = before.filter(({ asset }) => !found.some((check) => check.asset === asset));
	return [...others, ...found];
}

/** What the wallets hold of an asset, or why that is not known. */
type Held = Holding | { readonly unchecked: string };

const NOT_REPORTED: Held = { unchecked: 'its network did not say what the wallets hold' };

async function holdingsOn({ env }: Context, network: NetworkName): Promise<Partial<Record<AssetId, Held>>> {
	if (!networkMode(env, network)) return everyAssetOn(network, 'this deployment does not run the network');
	try {
		return await objectNamed(env, env.CHAIN_AGENT, network).holdings(network);
	} catch (error) {
		logError('holdings_not_read', error, { network });
		return everyAssetOn(network, 'the network does not answer now');
	}
}

const everyAssetOn = (network: NetworkName, unchecked: string): Partial<Record<AssetId, Held>> =>
	Object.fromEntries(
		allAssets()
			.filter((asset) => asset.network === network)
			.map(({ code }) => [code, { unchecked }]),
	);

/**
 * `expected`: what all our addresses should hold, including deposits that are not booked yet. `explained`: what
 * transactions of our own explain.
 */
function compared(asset: AssetId, expected: bigint, holdings: Held, explained: Explained) {
	if ('unchecked' in holdings) {
		const nothing = { held: null, difference: null, leftBehind: null };
		return {
			asset,
			books: coins(asset, expected),
			...nothing,
			result: 'unchecked' as const,
			reason: holdings.unchecked,
		};
	}
	const { held, remainder } = holdings;
	const difference = held - (expected - remainder);
	const moves = difference !== 0n && explains(explained, difference);
	return {
		asset,
		books: coins(asset, expected - remainder),
		held: coins(asset, held),
		difference: coins(asset, difference),
		leftBehind: remainder === 0n ? null : coins(asset, remainder),
		result: difference === 0n ? ('ok' as const) : moves ? ('moving' as const) : ('differs' as const),
		reason: difference === 0n ? null : underWayText(asset, explained),
	};
}

const underWayText = (asset: AssetId, { low, high }: Explained): string =>
	low === 0n && high === 0n
		? 'no transaction of ours explains it'
		: `transactions of our own explain ${coins(asset, low)} to ${coins(asset, high)}`;

/** Amounts of an asset that this version does not know are shown in base units. */
const coins = (asset: AssetId, amount: bigint): string =>
	isAssetId(asset) ? fromBaseUnits(amount, assetOf(asset).decimals) : amount.toString();
