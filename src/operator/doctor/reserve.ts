/** Do the hot wallets hold what a day needs? A day's need is what the last 24 hours paid out. */
import { networkReport } from '../../pricing/market.ts';
import { coinsText, type NetworkState } from '../attention/waiting.ts';
import { paidInADay, type ReserveState, reserveStates } from '../reserves/states.ts';
import { fine, type Part, type Row, unknown, wrong } from './row.ts';

export const reserve: Part = async ({ facts, context }) => {
	const known = await facts();
	const states = reserveStates(known, await paidInADay(context));
	return known.networks
		.filter(({ mode }) => mode !== 'off')
		.map((network) => {
			if (known.market && networkReport(known.market, network.name, context.now)) return rowOf(network, states);
			return unknown('reserve', network.name, 'it was not scanned lately', '`network check NAME` asks its nodes why');
		});
};

function rowOf({ name, hotAddress }: NetworkState, states: readonly ReserveState[]): Row {
	const lacking = states
		.filter(({ asset, free, paidInADay, isSoldOut }) => asset.network === name && (isSoldOut || free < paidInADay))
		.map(({ asset, free, paidInADay }) => {
			const ofNeed = paidInADay > 0n ? `; the last 24 hours paid ${coinsText(asset, paidInADay)}` : '';
			return `${coinsText(asset, free)} free${ofNeed}`;
		});
	if (lacking.length === 0) return fine('reserve', name, 'covers the payouts of the last 24 hours');
	const todo = `send coins to ${hotAddress ?? 'the hot wallet (`network list`)'}; or \`asset update CODE --active false\``;
	return wrong('reserve', name, lacking.join(', '), todo);
}
