/** The needs of business: prices, pay-in addresses, reserves, caps, switches, webhooks. One row each where all is well. */
import { eq } from 'drizzle-orm';
import { usdOfCents } from '../../money/usd.ts';
import { dailyVolume } from '../../orders/table.ts';
import { utcDay } from '../../platform/time.ts';
import { networkReport } from '../../pricing/market.ts';
import type { CoinPrice } from '../../pricing/prices.ts';
import { waitingCaps } from '../attention/caps.ts';
import { waitingAddresses } from '../attention/nodes.ts';
import { waitingPrices } from '../attention/prices.ts';
import { waitingSwitches } from '../attention/switches.ts';
import { coinsText, type NetworkState } from '../attention/waiting.ts';
import { waitingWebhooks } from '../attention/webhooks.ts';
import { paidInADay, type ReserveState, reserveStates } from '../reserves/states.ts';
import { asListed, type Examination, fine, type Part, type Row, unknown, wrong } from './row.ts';

interface UsedCap {
	readonly name: string;
	readonly used: number;
	readonly cap: number;
}

export const prices: Part = async ({ facts }) => {
	const known = await facts();
	const all = Object.values(known.market?.prices ?? {});
	return asListed('price', waitingPrices(known), () => pricesText(all, known.context.now));
};

function pricesText(all: readonly CoinPrice[], now: number): string {
	const oldest = Math.max(0, ...all.map(({ at }) => Math.floor((now - at) / 1000)));
	const text = `${all.length} coins, the oldest price ${oldest} s old`;
	const fromSources = all.filter(({ sources }) => sources !== undefined);
	if (fromSources.length === 0) return `${text}, from the table of the sandbox`;
	const fewest = Math.min(...fromSources.map(({ sources = [] }) => sources.length));
	const widest = Math.max(...fromSources.map(({ spreadBps = 0 }) => spreadBps));
	return `${text}, at least ${fewest} sources agree, at most ${widest} basis points apart`;
}

export const addresses: Part = async ({ facts }) => {
	const known = await facts();
	const free = known.networks.filter(({ mode }) => mode !== 'off').map(({ freeAddresses }) => freeAddresses ?? 0);
	return asListed('addresses', waitingAddresses(known), () => `at least ${Math.min(...free)} free on each network`);
};

/** How much of each daily cap is used, US dollars. */
export async function usedCaps({ facts, context: { env, db, now } }: Examination): Promise<readonly UsedCap[]> {
	const isToday = eq(dailyVolume.day, utcDay(now));
	const [{ settings }, signer, [today]] = await Promise.all([
		facts(),
		env.SIGNER.limits(),
		db.select().from(dailyVolume).where(isToday),
	]);
	return [
		{ name: 'today’s orders', used: (today?.usdCents ?? 0) / 100, cap: settings.dailyCapUsd },
		{ name: 'the signer’s payouts', used: signer.payoutUsedUsd, cap: signer.payoutCapUsd },
		{ name: 'its refunds', used: signer.refundUsedUsd, cap: signer.refundCapUsd },
	];
}

export const caps: Part = async (examination) => {
	const known = await examination.facts();
	const [waiting, all] = await Promise.all([waitingCaps(known), usedCaps(examination)]);
	const text = ({ name, used, cap }: UsedCap) => `${name} ${usdOfCents(Math.round(used * 100))} of ${cap} USD`;
	return asListed('cap', waiting, () => all.map(text).join('; '));
};

export const switches: Part = async ({ facts }) =>
	asListed('switch', await waitingSwitches(await facts()), () => 'nothing is switched off');

export const webhooks: Part = async ({ facts }) =>
	asListed('webhook', await waitingWebhooks(await facts()), () => 'no endpoint fails');

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
