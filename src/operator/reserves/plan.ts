/** `treasury plan`: what is short, what is long, and the step that moves it. It moves nothing. */
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { networkReport } from '../../pricing/market.ts';
import { currentFacts } from '../attention/collect.ts';
import { worth } from '../attention/waiting.ts';
import type { RunOf } from '../command.ts';
import { withdrawalAddress } from '../commands/treasury.ts';
import type { treasury as topic } from '../topics/treasury.ts';
import { leanFields, paidInADay, type ReserveState, reserveStates } from './states.ts';

export const planReserves: RunOf<typeof topic, 'plan'> = async (context) => {
	const facts = await currentFacts(context);
	const states = reserveStates(facts, await paidInADay(context)).filter(({ hasTarget }) => hasTarget);
	const networks = [...new Set(states.filter(isLong).map(({ asset }) => asset.network))];
	const ways = await Promise.all(networks.map(async (name) => [name, await withdrawalAddress(context, name)] as const));
	const reasons = new Map(ways.flatMap(([name, way]) => ('refused' in way ? [[name, way.refused] as const] : [])));
	const hotOf = (network: NetworkName) =>
		facts.networks.find(({ name }) => name === network)?.hotAddress ?? 'the hot wallet (`network list`)';
	return states.map((state) => {
		const { asset, free, target, hours } = state;
		const { code, network, decimals } = asset;
		const moved = free > target ? free - target : target - free;
		const coins = (units: bigint) => fromBaseUnits(units, decimals);
		const fee = facts.market && networkReport(facts.market, network, context.now)?.fees[nativeAsset(network)];
		return {
			asset: code,
			free: coins(free),
			target: coins(target),
			hours: hours === null ? null : Number(hours),
			short: free < target ? coins(moved) : null,
			long: free > target ? coins(moved) : null,
			usd: worth(facts, asset, moved),
			...leanFields(facts.market, asset, context.now),
			fee: fee ? `${fromBaseUnits(BigInt(fee), assetOf(nativeAsset(network)).decimals)} ${nativeAsset(network)}` : null,
			todo: todoOf(state, coins(moved), { hot: hotOf(network), refused: reasons.get(network) }),
		};
	});
};

const isLong = ({ free, target }: ReserveState): boolean => free > target;

interface Ways {
	/** The hot wallet's address. */
	readonly hot: string;
	/** Why the signer would let nothing out; absent where it would. */
	readonly refused: string | undefined;
}

function todoOf({ asset, free, target }: ReserveState, moved: string, { hot, refused }: Ways): string {
	if (free === target) return '-';
	if (free < target) return `send ${moved} ${asset.code} to ${hot}`;
	return refused ?? `\`treasury withdraw ${asset.code} --amount ${moved}\` takes out what is beyond the target`;
}
