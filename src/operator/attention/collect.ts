/**
 * Everything that waits, from all collectors. A collector that fails gives a row that says so, because what it should
 * have checked may not be in order.
 */
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { logError } from '../../platform/log.ts';
import { HOUSE_SAYS } from '../../ports/house.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import type { Context } from '../command.ts';
import { networkRecords } from '../commands/network.ts';
import { currentSettings } from '../settings/changes.ts';
import { waitingCaps } from './caps.ts';
import { waitingConfiguration } from './configuration.ts';
import { waitingIncidents, waitingJournal } from './incidents.ts';
import { waitingAddresses, waitingNodes } from './nodes.ts';
import { waitingOrderPages, waitingPayouts } from './order-pages.ts';
import { waitingOrders } from './orders.ts';
import { waitingPrices } from './prices.ts';
import { waitingStrays } from './strays.ts';
import { waitingArchive, waitingSwitches } from './switches.ts';
import { waitingTransactions } from './transactions.ts';
import { byCause, type Collector, type Facts, type Waiting } from './waiting.ts';
import { waitingWallets } from './wallets.ts';
import { waitingWebhooks } from './webhooks.ts';

/** In the order of urgency: other people's money first. Each with the area of its rows. */
const COLLECTORS = {
	orders: ['order', waitingOrders],
	strays: ['order', waitingStrays],
	transactions: ['transaction', waitingTransactions],
	wallets: ['wallet', waitingWallets],
	incidents: ['incident', waitingIncidents],
	journal: ['incident', waitingJournal],
	caps: ['cap', waitingCaps],
	prices: ['price', waitingPrices],
	nodes: ['network', waitingNodes],
	addresses: ['addresses', waitingAddresses],
	configuration: ['configuration', waitingConfiguration],
	switches: ['switch', waitingSwitches],
	archive: ['switch', waitingArchive],
	webhooks: ['webhook', waitingWebhooks],
	payouts: ['partner', waitingPayouts],
	orderPages: ['partner', waitingOrderPages],
} as const satisfies Record<string, readonly [Waiting['area'], Collector]>;

/** Nothing is signed until then, and nothing is lost: what waits is signed afterwards. */
const HOUSE_TODO =
	'see that the house runs and that its address, HOUSE_KEY and DEPLOYMENT are the same at both ends (book: house, "When it does not answer")';

export type CollectorName = keyof typeof COLLECTORS;

const AREA_OF: Readonly<Record<string, readonly [Waiting['area'], Collector]>> = COLLECTORS;

/** Areas of which these rows do not say what waits: their collector failed, or had no market to compare with. */
export const unreadAreas = (rows: readonly Waiting[], { market }: Facts): Set<string> =>
	new Set([
		...rows.flatMap(({ area, subject }) => (area === 'attention' ? (AREA_OF[subject]?.[0] ?? []) : [])),
		...(market ? [] : ['price', 'wallet']),
	]);

/** For the command: asks every agent and the signer. */
export async function currentFacts(context: Context): Promise<Facts> {
	const [settings, market, networks] = await Promise.all([
		currentSettings(context),
		marketOrNull(context.env),
		networkRecords(context, NETWORK_NAMES),
	]);
	return { context, settings, market, networks };
}

export async function everythingThatWaits(facts: Facts): Promise<Waiting[]> {
	const rows = await Promise.all(Object.entries(COLLECTORS).map(([name, [, collect]]) => rowsOf(name, collect, facts)));
	return byCause(rows.flat());
}

async function rowsOf(name: string, collect: Collector, facts: Facts): Promise<Waiting[]> {
	try {
		return await collect(facts);
	} catch (error) {
		logError('attention_not_collected', error, { collector: name });
		const said = error instanceof Error ? error.message : '';
		if (said.startsWith(HOUSE_SAYS)) return [{ area: 'attention', subject: name, cause: said, todo: HOUSE_TODO }];
		return [
			{
				area: 'attention',
				subject: name,
				cause: 'could not be checked',
				todo: 'the log line attention_not_collected says why; run the command again',
			},
		];
	}
}
