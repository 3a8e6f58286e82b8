/**
 * Everything that waits, from all collectors. A collector that fails gives a row that says so, because what it should
 * have checked may not be in order.
 */
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { logError } from '../../log.ts';
import type { Context } from '../command.ts';
import { networkRecords } from '../commands/network.ts';
import { currentSettings } from '../settings/changes.ts';
import { marketOrNull } from '../settings/market.ts';
import { waitingAddresses } from './addresses.ts';
import { waitingArchive } from './archive.ts';
import { waitingCaps } from './caps.ts';
import { waitingNodes } from './nodes.ts';
import { waitingOrders } from './orders.ts';
import { waitingPayouts } from './payouts.ts';
import { waitingPrices } from './prices.ts';
import { waitingSwitches } from './switches.ts';
import { waitingTransactions } from './transactions.ts';
import type { Collector, Facts, Waiting } from './waiting.ts';
import { waitingWallets } from './wallets.ts';
import { waitingWebhooks } from './webhooks.ts';

/** In the order of urgency: other people's money first. */
const COLLECTORS: Readonly<Record<string, Collector>> = {
	orders: waitingOrders,
	transactions: waitingTransactions,
	wallets: waitingWallets,
	caps: waitingCaps,
	prices: waitingPrices,
	nodes: waitingNodes,
	addresses: waitingAddresses,
	switches: waitingSwitches,
	archive: waitingArchive,
	webhooks: waitingWebhooks,
	payouts: waitingPayouts,
};

export async function everythingThatWaits(context: Context): Promise<Waiting[]> {
	const [settings, market, networks] = await Promise.all([
		currentSettings(context),
		marketOrNull(context),
		networkRecords(context, NETWORK_NAMES),
	]);
	const facts = { context, settings, market, networks };
	const rows = await Promise.all(Object.entries(COLLECTORS).map(([name, collect]) => rowsOf(name, collect, facts)));
	return rows.flat();
}

async function rowsOf(name: string, collect: Collector, facts: Facts): Promise<Waiting[]> {
	try {
		return await collect(facts);
	} catch (error) {
		logError('attention_not_collected', error, { collector: name });
		return [
			{
				area: 'attention',
				subject: name,
				cause: 'could not be checked',
				since: null,
				amount: null,
				usd: null,
				todo: 'the log line attention_not_collected says why; run the command again',
			},
		];
	}
}
