/** The operator's settings in D1. */
import { databaseOf } from '../platform/d1/database.ts';
import { type AssetId, isAssetId } from './assets.ts';
import { isNetworkName } from './networks.ts';
import { MONITOR_CODE_PATTERN, type PairSettings, pairKey, type Settings } from './settings.ts';
import { assetSettings, networkSettings, pairSettings, site } from './table.ts';

/** Skips rows whose asset or network this version does not know. @throws when D1 does not answer */
export async function loadSettings(database: D1Database, offered: readonly AssetId[]): Promise<Settings> {
	const db = databaseOf({ DB: database });
	const [sites, assets, networks, pairs] = await db.batch([
		db.select().from(site),
		db.select().from(assetSettings),
		db.select().from(networkSettings),
		db.select().from(pairSettings),
	]);
	const [row] = sites;
	if (!row) throw new Error('the site row is missing: migrations have not run');
	const { id: _, ...own } = row;
	return {
		...own,
		offered,
		inactiveAssets: codesWhere(assets, ({ active }) => !active),
		reserves: textsOf(assets, 'reserve'),
		targets: textsOf(assets, 'target'),
		monitorCodes: { bestchange: codesOf(assets, 'bestchangeCode'), fixedfloat: codesOf(assets, 'fixedfloatCode') },
		leans: Object.fromEntries(
			assets
				.filter(({ surchargeBps, discountBps }) => surchargeBps > 0 || discountBps > 0)
				.map(({ code, surchargeBps, discountBps }) => [code, { surchargeBps, discountBps }]),
		),
		beyondReserve: codesWhere(assets, ({ beyondReserve }) => beyondReserve),
		networks: Object.fromEntries(
			networks.filter(({ name }) => isNetworkName(name)).map(({ name, ...rest }) => [name, rest]),
		),
		pairs: Object.fromEntries(
			pairs.flatMap(({ fromAsset, toAsset, ...rest }): [string, PairSettings][] =>
				isAssetId(fromAsset) && isAssetId(toAsset) ? [[pairKey(fromAsset, toAsset), rest]] : [],
			),
		),
	};
}

type AssetRow = typeof assetSettings.$inferSelect;
type TextField = 'reserve' | 'target' | 'bestchangeCode' | 'fixedfloatCode';

const codesWhere = (assets: readonly AssetRow[], holds: (row: AssetRow) => boolean): AssetId[] =>
	assets.filter(holds).flatMap(({ code }) => (isAssetId(code) ? code : []));

/** By asset, where the row has one. */
const textsOf = (assets: readonly AssetRow[], field: TextField): Record<string, string> =>
	Object.fromEntries(
		assets.flatMap((row): [string, string][] => {
			const text = row[field];
			return text === null ? [] : [[row.code, text]];
		}),
	);

/** Rows that others wrote make no markup of a feed. */
const codesOf = (assets: readonly AssetRow[], field: TextField): Record<string, string> =>
	Object.fromEntries(
		Object.entries(textsOf(assets, field)).filter(([, code]) => code === '' || MONITOR_CODE_PATTERN.test(code)),
	);
