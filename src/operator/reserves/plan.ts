/** `treasury plan`: what is short, what is long, and the step that moves it. It moves nothing. */
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { networkReport } from '../../pricing/market.ts';
import { currentFacts } from '../attention/collect.ts';
import { worth } from '../attention/waiting.ts';
import type { RunOf } from '../command.ts';
import type { treasury as topic } from '../topics/treasury.ts';
import { leanFields, paidInADay, type ReserveState, reserveStates } from './states.ts';
import { hasRoom, NOT_ASKED, type WaysOut, waysOut } from './ways-out.ts';

export const planReserves: RunOf<typeof topic, 'plan'> = async (context) => {
	const facts = await currentFacts(context);
	const states = reserveStates(facts, await paidInADay(context)).filter(({ hasTarget }) => hasTarget);
	const networks = [...new Set(states.filter(isLong).map(({ asset }) => asset.network))];
	const ways = new Map(await Promise.all(networks.map(async (name) => [name, await waysOut(context, name)] as const)));
	const hotOf = (network: NetworkName) =>
		facts.networks.find(({ name }) => name === network)?.hotAddress ?? 'the hot wallet (`network list`)';
	return states.map((state) => {
		const { asset, free, target, hours } = state;
		const { code, network, decimals } = asset;
		const moved = free > target ? free - target : target - free;
		const coins = (units: bigint) => fromBaseUnits(units, decimals);
		const fee = facts.market && networkReport(facts.market, network, context.now)?.fees[nativeAsset(network)];
		const usd = worth(facts, asset, moved);
		const way = wayFor(ways.get(network) ?? NOT_ASKED, usd);
		return {
			asset: code,
			free: coins(free),
			target: coins(target),
			hours: hours === null ? null : Number(hours),
			short: free < target ? coins(moved) : null,
			long: free > target ? coins(moved) : null,
			usd,
			...leanFields(facts.market, asset, context.now),
			to: free > target && 'name' in way ? way.name : null,
			fee: fee ? `${fromBaseUnits(BigInt(fee), assetOf(nativeAsset(network)).decimals)} ${nativeAsset(network)}` : null,
			todo: todoOf(state, coins(moved), { hot: hotOf(network), way }),
		};
	});
};

const isLong = ({ free, target }: ReserveState): boolean => free > target;

/** The name of the address that it goes to, or why it goes nowhere. */
type Way = { readonly name: string } | { readonly refused: string };

/** The first address that takes all of it today. `usd`: what it is worth; null where that is not known. */
function wayFor(found: WaysOut, usd: string | null): Way {
	if ('refused' in found) return found;
	const cents = usd === null ? Number.POSITIVE_INFINITY : usdCents(decimal(usd));
	const address = found.addresses.find((each) => hasRoom(each, cents));
	return address ?? { refused: 'no address takes so much today: `treasury show` says how much each has taken' };
}

interface Ends {
	/** The hot wallet's address. */
	readonly hot: string;
	readonly way: Way;
}

function todoOf({ asset, free, target }: ReserveState, moved: string, { hot, way }: Ends): string {
	if (free === target) return '-';
	if (free < target) return `send ${moved} ${asset.code} to ${hot}`;
	if ('refused' in way) return way.refused;
	return `\`treasury withdraw ${asset.code} --amount ${moved} --to ${way.name}\` takes out what is beyond the target`;
}
