/**
 * Where this deployment's prices come from: the public sources, or the sandbox's own table. RateBook and the signer each
 * fetch their own: the signer must not depend on RateBook's prices.
 */
import * as z from 'zod/mini';
import { COINS } from '../catalog/assets.ts';
import { type ChainConfiguration, usesSandboxPrices } from '../chains/configuration.ts';
import type { SandboxPrices } from '../chains/sandbox/prices.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { jsonOrNull } from '../platform/json.ts';
import { log } from '../platform/log.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import type { Prices } from './prices.ts';
import { getFrom, refreshPrices } from './refresh.ts';
import { SOURCES } from './sources/table.ts';

export interface PriceConfiguration extends ChainConfiguration, Regional {
	readonly SANDBOX_PRICES: DurableObjectNamespace<SandboxPrices>;
}

/**
 * Each price carries the time when it was asked for. `onSource` is told of each public source, and again if it fails. Never throws for a source that is down: what could not be
 * priced keeps its old time and ages.
 */
export async function currentPrices(
	configuration: PriceConfiguration,
	previous: Prices,
	onSource: (name: string, failure: string | null) => void = () => {},
): Promise<Prices> {
	if (usesSandboxPrices(configuration)) {
		const now = Date.now();
		const table = await objectNamed(configuration, configuration.SANDBOX_PRICES, 'prices').all();
		return Object.fromEntries(Object.entries(table).map(([coin, usd]) => [coin, { usd, at: now }]));
	}
	for (const { name } of SOURCES) onSource(name, null);
	return refreshPrices({
		sources: SOURCES,
		coins: COINS,
		get: getFrom(sourceUrls(configuration)),
		previous,
		clock: Date.now,
		log: (line) => {
			if (line.event === 'price_source_failed') onSource(line.source, line.reason);
			const { event, ...facts } = line;
			log(event, facts);
		},
	});
}

/** @throws ConfigurationError where it is not a JSON object of URLs */
function sourceUrls({ PRICE_SOURCE_URLS: text }: ChainConfiguration): Readonly<Record<string, string>> {
	const read = SOURCE_URLS.safeParse(jsonOrNull(text?.trim() || '{}'));
	if (read.success) return read.data;
	throw new ConfigurationError('PRICE_SOURCE_URLS is not a JSON object of source names and URLs');
}

const SOURCE_URLS = z.lazy(() => z.record(z.string(), z.url()));
