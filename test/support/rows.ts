/** Builders of what the pure rules take: one market, one order row. Every field can be overridden by name. */
import { ASSET_IDS, type AssetId, allAssets, assetOf } from '../../src/catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../../src/catalog/networks.ts';
import type { PairSettings, Settings } from '../../src/catalog/settings.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import type { HouseCosts, Market, NetworkReport } from '../../src/pricing/market.ts';

/** Unix milliseconds; a Friday. */
export const NOW = Date.UTC(2026, 10, 20, 12);

export const settingsOf = (more: Partial<Settings> = {}): Settings => ({
	revision: 0,
	maintenance: false,
	dailyCapUsd: 1_000_000,
	baseFeeBps: 50,
	depositWindowSeconds: 3600,
	unpaidShareBps: 2500,
	archiveAfterDays: null,
	webhookBodyDays: 30,
	showsSecrets: true,
	decisionHours: 72,
	askedRefundUsd: 0,
	reserveHours: 24,
	sweepShareBps: 200,
	ownMarginBps: 2000,
	ownPayouts: 'weekly',
	ownPayoutMinUsd: 20,
	provesSolvency: false,
	provesMonero: false,
	offered: ASSET_IDS,
	inactiveAssets: [],
	reserves: {},
	targets: {},
	leans: {},
	monitorCodes: { bestchange: {}, fixedfloat: {} },
	beyondReserve: [],
	networks: {},
	pairs: {},
	...more,
});

export interface MarketFacts {
	/** US dollars per coin; what is not named costs 100. */
	readonly usd?: Readonly<Record<string, string>>;
	/** Base units per payout; what is not named costs nothing. */
	readonly fees?: Readonly<Partial<Record<AssetId, string>>>;
	/** Base units in the hot wallets; what is not named is a hundred million coins. */
	readonly reserves?: Readonly<Partial<Record<AssetId, string>>>;
	/** Base units that the hot wallets owe. */
	readonly owed?: Readonly<Partial<Record<AssetId, string>>>;
	/** Base units of native coins; what is not named costs nothing. */
	readonly costs?: Readonly<Partial<Record<AssetId, HouseCosts>>>;
	readonly beyondReserve?: readonly AssetId[];
	readonly sweepShareBps?: number;
	readonly pairs?: Readonly<Record<string, PairSettings>>;
	/** Unix milliseconds of prices and of the networks' last word. */
	readonly pricedAt?: number;
	readonly heardAt?: number;
	/** The signer's daily cap, US dollars; none where nothing else is said. */
	readonly payoutCapUsd?: number | null;
}

/** Of a network that has told nothing but its name. */
export const BARE_REPORT: NetworkReport = {
	at: NOW,
	fees: {},
	reserves: {},
	owed: {},
	costs: {},
	unseenSince: {},
	hotAddress: 'the hot wallet',
};

export function marketOf(facts: MarketFacts = {}): Market {
	const {
		usd = {},
		fees = {},
		reserves = {},
		owed = {},
		costs = {},
		pairs = {},
		beyondReserve = [],
		sweepShareBps = 200,
		pricedAt = NOW,
		heardAt = NOW,
		payoutCapUsd = null,
	} = facts;
	const reportOf = (name: NetworkName): NetworkReport => {
		const assets = allAssets().filter(({ network }) => network === name);
		return {
			...BARE_REPORT,
			at: heardAt,
			fees: Object.fromEntries(assets.map(({ code }) => [code, fees[code] ?? '0'])),
			reserves: Object.fromEntries(
				assets.map(({ code, decimals }) => [code, reserves[code] ?? `100000000${'0'.repeat(decimals)}`]),
			),
			owed,
			costs: Object.fromEntries(assets.map(({ code }) => [code, costs[code] ?? { deposit: '0', recipient: '0' }])),
		};
	};
	return {
		at: NOW,
		prices: Object.fromEntries(allAssets().map(({ coin }) => [coin, { usd: usd[coin] ?? '100', at: pricedAt }])),
		networks: Object.fromEntries(NETWORK_NAMES.map((name) => [name, reportOf(name)])),
		settings: settingsOf({ pairs, beyondReserve, sweepShareBps }),
		journalEntries: null,
		sources: {},
		payoutCapUsd,
	};
}

/** An order as create leaves it: 2 LTC to ETH, an hour to pay. */
export function orderRow(more: Partial<OrderRow> = {}): OrderRow {
	const [fromAsset, toAsset] = [more.fromAsset ?? 'LTC', more.toAsset ?? 'ETH'] as const;
	return {
		id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
		partnerId: '00112233445566778899aabbccddeeff',
		fromAsset,
		fromNetwork: assetOf(fromAsset).network,
		toAsset,
		toNetwork: assetOf(toAsset).network,
		direction: 'from',
		toAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
		refundAddress: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
		payInAddress: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
		payInIndex: 0,
		baseFeeBps: 50,
		leanBps: 0,
		afftaxBps: 0,
		seal: 'a'.repeat(64),
		tokenHash: 'b'.repeat(64),
		idempotencyKey: null,
		requestHash: 'c'.repeat(64),
		fromAmount: '2',
		minToAmount: null,
		toAmount: '1.99',
		rate: '0.995',
		networkFee: '0',
		usdCents: 20_000,
		capDay: '2026-11-20',
		holdsCap: true,
		strays: null,
		named: 0,
		paidCents: 0,
		status: 'NEW',
		sequence: 0,
		emergencyReasons: [],
		limitSide: null,
		emergencyChoice: null,
		chosenAt: null,
		refundAskedAt: null,
		refundAskedBy: null,
		reports: null,
		reportedAt: null,
		factsAt: 0,
		depositTxId: null,
		depositAmount: null,
		payoutTxId: null,
		payoutAmount: null,
		refundTxId: null,
		createdAt: NOW,
		expiresAt: NOW + 3_600_000,
		watchUntil: NOW + 3_600_000 + 30 * 86_400_000,
		updatedAt: NOW,
		finishedAt: null,
		deletedAt: null,
		referenceCode: null,
		dustCount: 0,
		dustSum: '0 0 0 0 fits',
		dustBelow: '0',
		externalId: null,
		externalIdUnique: false,
		appKey: null,
		...more,
	};
}
