/**
 * `ledger check`: every order's entries sum to zero per asset, and the wallets hold what the books say. The chains
 * change during the comparison: a deposit is on chain a moment before it is on record. So an asset that agrees once is
 * right, and only an asset that differs in every comparison is reported. While a transaction of ours is under way on a
 * network, a difference there is `moving`: its coins and its fee may be missing or counted twice.
 */
import { type Asset, type AssetId, allAssets, assetOf, isAssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { logError } from '../../log.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { objectNamed } from '../../region.ts';
import type { Holding } from '../../treasury/agent-rpc.ts';
import { accountBalances, checkOrders, expectedHoldings } from '../../treasury/ledger/store.ts';
import { transactionsUnderWay } from '../../treasury/ledger/wallet-store.ts';
import { blockedText } from '../../treasury/transactions/wait-reason.ts';
import { transactionsThatWait } from '../attention/transactions.ts';
import type { Context, RunOf, RunsOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import { isoTime } from '../shown.ts';
import type { ledger as topic } from '../topics/ledger.ts';

/** Comparisons of an asset that differs, and the pause between them: a deposit is on record after a second or two. */
const COMPARISONS = 4;
const PAUSE_MILLISECONDS = 1_500;

const checkLedger: RunOf<typeof topic, 'check'> = async (context) => {
	const { unbalanced, orders, entries } = await checkOrders(context.db);
	const wallets = await checkWallets(context);
	const [balances, settings] = await Promise.all([accountBalances(context.db), currentSettings(context)]);
	const waiting = await transactionsThatWait(context.db, settings, context.now);
	const counted = (wanted: WalletCheck['result']) => wallets.filter(({ result }) => result === wanted).length;
	return {
		differences: unbalanced.length + counted('differs'),
		moving: counted('moving'),
		unchecked: counted('unchecked'),
		orders,
		entries,
		unbalanced: unbalanced.map(({ order, asset, sum }) => ({ order, asset, sum: coins(asset, sum) })),
		wallets,
		attention: waiting.map(({ transaction, cause, since }) => ({
			...transactionLine(transaction),
			held: blockedText(transaction),
			since: isoTime(since),
			cause,
		})),
		balances: balances.map(({ account, asset, amount }) => ({ account, asset, amount: coins(asset, amount) })),
	};
};

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
		transactionsUnderWay(context.db),
		...networks.map((network) => holdingsOn(context, network)),
	]);
	const found = assets.map(({ code, network }) =>
		compared(
			code,
			expected[code] ?? 0n,
			held[networks.indexOf(network)]?.[code] ?? NOT_REPORTED,
			underWay.get(network) ?? 0,
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
 * `expected`: what all our addresses should hold, including deposits that are not booked yet. `underWay`: transactions
 * of our own on its network.
 */
function compared(asset: AssetId, expected: bigint, holdings: Held, underWay: number) {
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
	const moves = difference !== 0n && underWay > 0;
	return {
		asset,
		books: coins(asset, expected - remainder),
		held: coins(asset, held),
		difference: coins(asset, difference),
		leftBehind: remainder === 0n ? null : coins(asset, remainder),
		result: difference === 0n ? ('ok' as const) : moves ? ('moving' as const) : ('differs' as const),
		reason: moves ? `transactions of our own that are not final yet: ${underWay}` : null,
	};
}

/** Amounts of an asset that this version does not know are shown in base units. */
const coins = (asset: AssetId, amount: bigint): string =>
	isAssetId(asset) ? fromBaseUnits(amount, assetOf(asset).decimals) : amount.toString();
