/** Operators who press every button, at the worst moment, and twice. */
import { MAX_LEAN_BPS } from '../../../src/money/bps.ts';
import type { Random } from '../../cast/random.ts';
import { DOLLARS } from '../invariants/prices.ts';
import { COLD, EXCHANGE } from '../settings.ts';
import type { World } from '../world.ts';
import type { Client, Secrets } from './client.ts';
import type { Story } from './orders.ts';

interface Desk {
	readonly world: World;
	readonly client: Client;
	readonly stories: readonly Story[];
	readonly partners: readonly Secrets[];
	/** Ids of transactions, to give one up. */
	transactions(): readonly string[];
}

type Button = readonly [command: string, input: object];
const reason = 'pressed by the simulator';

export async function pressButton({ world, client, stories, partners, transactions }: Desk): Promise<void> {
	const { random } = world;
	const [story, partner] = [stories.length > 0 ? random.pick(stories) : null, random.pick(partners)];
	const ids = transactions();
	const order: Button[] = story?.id
		? ['order/show', 'order/finalise', 'order/refund', 'order/refund'].map((command) => [
				command,
				{ id: story.id, reason },
			])
		: [];
	const [command, input] = random.pick<Button>([
		...order,
		['site/update', { maintenance: random.chance(0.3) }],
		['site/update', { askedRefundUsd: random.pick([0, 50, 1_000_000]) }],
		['asset/update', lean(random)],
		['ledger/check', { full: random.chance(0.5) }],
		['attention', {}],
		['earnings/pay-out', { partner: partner.id }],
		['treasury/withdraw', withdrawal(random.below(90))],
		['keys/show', {}],
		['sandbox/price', price(random)],
		...(ids.length > 0 ? [['payout/give-up', { id: random.pick(ids), reason }] as const] : []),
	]);
	const given = command === 'order/show' ? { id: story?.id } : input;
	const presses = random.chance(0.3) ? 2 : 1;
	await Promise.all(Array.from({ length: presses }, () => client.operate(command, given).catch(() => undefined)));
}

/** The wallets of the embedded ledgers have a hundred million coins: prices lean to either side, and as far as they may. */
const lean = (random: Random) => ({
	code: random.pick(['LTC', 'ETH', 'SOL']),
	target: String(1 + random.below(200_000_000)),
	surchargeBps: random.below(MAX_LEAN_BPS + 1),
	discountBps: random.below(MAX_LEAN_BPS + 1),
});

/** Within one per cent of what the honest sources have. */
function price(random: Random) {
	const coin = random.pick(['LTC', 'ETH', 'SOL'] as const);
	return { coin, usd: (DOLLARS[coin] * (0.99 + 0.02 * random.next())).toFixed(4) };
}

/** To one address or the other, of one draw. */
const withdrawal = (tenths: number) => ({
	asset: 'LTC',
	amount: `${1 + tenths / 10}`,
	to: tenths % 2 === 0 ? 'kraken' : 'cold',
});

export const OWN_ADDRESSES: readonly string[] = [COLD, EXCHANGE];
