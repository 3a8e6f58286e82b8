/** Hot wallets that will soon be empty, or are: said before a customer's order is refused for it. */
import { type ReserveState, reserveStates } from '../reserves/states.ts';
import { coinsText, type Facts, type Waiting, worth } from './waiting.ts';

export function waitingReserves(facts: Facts, paid: Parameters<typeof reserveStates>[1]): Waiting[] {
	const least = facts.settings.reserveHours;
	if (least === null) return [];
	const states = reserveStates(facts, paid);
	const low = states.filter(({ hours }) => hours !== null && hours < least);
	const soldOut = states.filter(({ isSoldOut, hours }) => isSoldOut && hours === null);
	return [...low.map((state) => lowRow(facts, state)), ...soldOutRow(soldOut)];
}

function lowRow(facts: Facts, { asset, free, paidInADay, hours, target, isSoldOut }: ReserveState): Waiting {
	const address = facts.networks.find(({ name }) => name === asset.network)?.hotAddress;
	const lack = target > free ? target - free : 0n;
	const lasts = `${coinsText(asset, free)} are free, which lasts ${hours} hours`;
	return {
		area: 'wallet',
		subject: asset.code,
		sort: 'reserve-low',
		cause: `${isSoldOut ? 'sold out, so orders that pay it are refused' : lasts}: the last 24 hours paid ${coinsText(asset, paidInADay)}`,
		amount: lack > 0n ? coinsText(asset, lack) : null,
		usd: lack > 0n ? worth(facts, asset, lack) : null,
		todo: `\`treasury plan\` says how many coins to send to ${address ?? 'the hot wallet (`network list`)'}; or \`asset update ${asset.code} --active off\``,
	};
}

/** One row for all of them: a service that is just filled has many. */
function soldOutRow(states: readonly ReserveState[]): Waiting[] {
	if (states.length === 0) return [];
	const codes = states.map(({ asset }) => asset.code).join(', ');
	return [
		{
			area: 'wallet',
			subject: 'sold out',
			sort: 'reserve-low',
			cause: `the hot wallets have nothing free of ${codes}: orders that pay them are refused`,
			todo: 'send coins to the hot wallets (`network list`), or `asset update CODE --active off`',
		},
	];
}
