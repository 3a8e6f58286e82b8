/** What nodes are asked in a month, and what that costs at one provider of each kind, from the counted figures. */
import { NETWORK_NAMES, NETWORKS, type NetworkName } from '../../../src/catalog/networks.ts';
import { NODE_FIGURES } from './node-figures.ts';
import { monthUsd } from './prices.ts';
import { amount } from './tables.ts';
import {
	busyShare,
	IDLE_POLL_SECONDS,
	IDLE_UPKEEP_SECONDS,
	MONTH_SECONDS,
	monthWith,
	UPKEEP_SECONDS,
} from './usage.ts';

/** From memory, as of then; check them before you choose. */
export const PLANS_OF = '2026-11-26';

interface Plan {
	readonly usd: number;
	/** Units of a month. */
	readonly units: number;
}

interface Provider {
	readonly networks: readonly NetworkName[];
	/** Units for one call, and for one of an order's own. */
	readonly ofCall: number;
	readonly ofOrderCall: number;
	/** The cheapest first. */
	readonly plans: readonly Plan[];
}

const MILLION = 1_000_000;
/** As `chains/evm/fees.ts` keeps it. */
const GAS_SECONDS = 600;
const EVM: readonly NetworkName[] = ['Ethereum', 'BSC', 'Polygon', 'Arbitrum', 'Optimism', 'Avalanche'];

/** The one whose plan the bill is reckoned with; the book names a second for the signer, which asks little. */
const PROVIDERS = {
	'six EVM networks': {
		networks: EVM,
		ofCall: 1,
		ofOrderCall: 1,
		plans: [
			{ usd: 0, units: 3 * MILLION },
			{ usd: 49, units: 20 * MILLION },
			{ usd: 199, units: 80 * MILLION },
			{ usd: 499, units: 200 * MILLION },
		],
	},
	Solana: {
		networks: ['Solana'],
		ofCall: 1,
		// Half of them ask for history, at ten credits each.
		ofOrderCall: 5.5,
		plans: [
			{ usd: 0, units: MILLION },
			{ usd: 49, units: 10 * MILLION },
			{ usd: 499, units: 100 * MILLION },
		],
	},
	Tron: {
		networks: ['Tron'],
		ofCall: 1,
		ofOrderCall: 1,
		plans: [
			{ usd: 0, units: 3 * MILLION },
			{ usd: 49, units: 20 * MILLION },
		],
	},
	'Bitcoin, Litecoin, Dash': {
		networks: ['Bitcoin', 'Litecoin', 'Dash'],
		ofCall: 1,
		ofOrderCall: 1,
		// Without a price: an Esplora for the first two, and the free plan of one that has Dash.
		plans: [
			{ usd: 0, units: 0.45 * MILLION },
			{ usd: 49, units: 5 * MILLION },
			{ usd: 199, units: 22 * MILLION },
		],
	},
	// Two containers, and a daemon of somebody else.
	Monero: { networks: ['Monero'], ofCall: 0, ofOrderCall: 0, plans: [{ usd: 10, units: 1 }] },
} as const satisfies Record<string, Provider>;

interface Calls {
	readonly polls: number;
	readonly orders: number;
}

/** In a month with so many orders on all networks together. */
function callsOf(name: NetworkName, ordersOfMonth: number): Calls {
	const { pollSeconds, blockSeconds, confirmations, family } = NETWORKS[name];
	const { idle, poll, upkeep, seldom, open, deposit, block, order } = NODE_FIGURES[name];
	const busy = busyShare(ordersOfMonth);
	const usualUpkeep = Math.ceil(UPKEEP_SECONDS / pollSeconds) * pollSeconds;
	// Its gas also pays for Ethereum's blocks, which anvil's does not, and is asked in each upkeep.
	const [usualGas, idleGas] = name === 'Arbitrum' ? [usualUpkeep, IDLE_UPKEEP_SECONDS] : [GAS_SECONDS, GAS_SECONDS];
	const usual = (poll + open) / pollSeconds + upkeep / usualUpkeep + seldom / usualGas;
	// With orders there are some in TRX, for which each block's receipts are read.
	const receipts = name === 'Tron' && ordersOfMonth > 0 ? 1 / blockSeconds : 0;
	const idleSeldom = family === 'utxo' ? 0 : seldom / idleGas;
	const atRest = idle / IDLE_POLL_SECONDS + upkeep / IDLE_UPKEEP_SECONDS + idleSeldom + receipts;
	const polls = MONTH_SECONDS * (busy * usual + (1 - busy) * atRest + block / blockSeconds);
	// A coin that is in a block is asked about no more.
	const blocksAsked = family === 'utxo' ? 1 : confirmations[0].blocks;
	const waits = Math.ceil((blocksAsked * blockSeconds) / pollSeconds);
	const ofNetwork = ordersOfMonth / NETWORK_NAMES.length;
	return { polls, orders: ofNetwork * (order + waits * deposit) };
}

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
const together = ({ polls, orders }: Calls): number => polls + orders;
const MINUTES = MONTH_SECONDS / 60;

/** Calls of a minute with nothing open, those for blocks apart; of one with something open; and of 1 000 orders of this network. */
export const nodeCallRows = (): string[] =>
	NETWORK_NAMES.map((name) => {
		const blocks = (NODE_FIGURES[name].block * 60) / NETWORKS[name].blockSeconds;
		const idle = callsOf(name, 0).polls / MINUTES - blocks;
		const { polls } = callsOf(name, Number.MAX_SAFE_INTEGER);
		const { orders } = callsOf(name, 1_000 * NETWORK_NAMES.length);
		const short = (calls: number) => String(Number(calls.toPrecision(2)));
		return row(
			name,
			short(idle),
			short(polls / MINUTES - blocks),
			short(blocks),
			amount(together(callsOf(name, 0))),
			amount(orders),
		);
	});

const DAYS = 30;
const ORDERS_OF_DAY = [0, 100, 1_000, 10_000];

const unitsOf = ({ networks, ofCall, ofOrderCall }: Provider, orders: number): number =>
	networks
		.map((name) => callsOf(name, orders))
		.reduce((sum, calls) => sum + calls.polls * ofCall + calls.orders * ofOrderCall, 0);

/** The cheapest plan that is large enough. @throws TypeError where there is none */
function usdOf(provider: Provider, orders: number): number {
	const units = unitsOf(provider, orders);
	const plan = provider.plans.find((each) => each.units >= units);
	if (!plan) throw new TypeError(`no plan has ${units} units of a month`);
	return plan.usd;
}

/** The most orders a day that the cheapest plan carries, of two digits; none where calls are not counted. */
function carriedBy(provider: Provider): string {
	const [{ units } = { units: 0 }] = provider.plans;
	if (provider.ofCall === 0) return '–';
	let orders = 0;
	while (unitsOf(provider, (orders + 1) * DAYS) <= units) orders++;
	const unit = 10 ** Math.max(0, String(orders).length - 2);
	return amount(Math.floor(orders / unit) * unit);
}

function billRow(perDay: number): string {
	const orders = perDay * DAYS;
	const platform = Math.round(monthUsd(monthWith(orders)));
	const nodes = Object.values(PROVIDERS).map((provider) => usdOf(provider, orders));
	const all = nodes.reduce((sum, usd) => sum + usd, platform);
	return row(perDay.toLocaleString('en').replaceAll(',', ' '), platform, ...nodes, all);
}

/** The most orders a day that each provider's cheapest plan carries last. */
export const billRows = (): string[] => [
	...ORDERS_OF_DAY.map(billRow),
	row('first plan carries', '–', ...Object.values(PROVIDERS).map(carriedBy), '–'),
];
