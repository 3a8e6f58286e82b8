/**
 * Compares the wallets with the books, for `ledger check`. The chains change meanwhile: an asset that agrees once is right,
 * and only one that differs in every comparison differs.
 */
import { type Asset, type AssetId, allAssets, assetOf, isAssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { Holding } from '../../ports/chain-agent.ts';
import { expectedHoldings } from '../../treasury/ledger/holdings.ts';
import {
	type Explained,
	explainedOf,
	explains,
	NOTHING_EXPLAINED,
	readUnderWay,
} from '../../treasury/ledger/under-way.ts';
import type { Context } from '../command.ts';

/** Comparisons of an asset that differs, and the pause between them: a deposit is on record after a second or two. */
const COMPARISONS = 4;
const PAUSE_MILLISECONDS = 1_500;
/** `assets`: those that are compared; default all. */
export async function checkWallets(context: Context, assets: readonly Asset[] = allAssets()) {
	let wallets = await compareAll(context, assets, []);
	for (let done = 1; done < COMPARISONS && wallets.some(isDiffering); done++) {
		await new Promise((wait) => setTimeout(wait, PAUSE_MILLISECONDS));
		const again = wallets.filter(isDiffering).map(({ asset }) => assetOf(asset));
		wallets = await compareAll(context, again, wallets);
	}
	return wallets;
}

export type WalletCheck = ReturnType<typeof compared>;

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
	const found = assets.map(({ code, network }) => {
		const holdings = held[networks.indexOf(network)]?.[code] ?? NOT_REPORTED;
		return compared(code, expected[code] ?? 0n, holdings, explained.get(code) ?? NOTHING_EXPLAINED);
	});
	const others = before.filter(({ asset }) => !found.some((check) => check.asset === asset));
	return [...others, ...found];
}

/** The sum that the wallets hold of an asset, or why that is not known. */
type Held = Holding | { readonly unchecked: string };

/** Nothing is missed by that. */
export const NOT_RUN = 'this deployment does not run the network';

const NOT_REPORTED: Held = { unchecked: 'its network did not say what the wallets hold' };

async function holdingsOn({ env }: Context, network: NetworkName): Promise<Partial<Record<AssetId, Held>>> {
	if (!networkMode(env, network)) return everyAssetOn(network, NOT_RUN);
	try {
		return await objectNamed(env, env.CHAIN_AGENT, network).holdings(network);
	} catch (error) {
		logError('holdings_not_read', error, { network });
		return everyAssetOn(network, 'the network does not say it now (log: holdings_not_read)');
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
		const nothing = { held: null, difference: null, leftBehind: null, unrecorded: null };
		const unchecked = { result: 'unchecked' as const, reason: holdings.unchecked };
		return { asset, books: coins(asset, expected), ...nothing, ...unchecked };
	}
	const { held, remainder, unrecorded } = holdings;
	const books = expected - remainder + unrecorded;
	const difference = held - books;
	const moves = difference !== 0n && explains(explained, difference);
	return {
		asset,
		books: coins(asset, books),
		held: coins(asset, held),
		difference: coins(asset, difference),
		leftBehind: remainder === 0n ? null : coins(asset, remainder),
		unrecorded: unrecorded === 0n ? null : coins(asset, unrecorded),
		result: difference === 0n ? ('ok' as const) : moves ? ('moving' as const) : ('differs' as const),
		reason: difference === 0n ? null : underWayText(asset, explained),
	};
}

const underWayText = (asset: AssetId, { low, high }: Explained): string =>
	low === 0n && high === 0n
		? 'no transaction of ours explains it'
		: `transactions of our own explain ${coins(asset, low)} to ${coins(asset, high)}`;

/** Amounts of an asset that this version does not know are shown in base units. */
export const coins = (asset: AssetId, amount: bigint): string =>
	isAssetId(asset) ? fromBaseUnits(amount, assetOf(asset).decimals) : amount.toString();
