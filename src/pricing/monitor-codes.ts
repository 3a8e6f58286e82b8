/**
 * The codes of monitors for our assets, where they differ from our ids; null where a monitor has none, and the pair is left
 * out of its feed. The codes are those of clients and exporters of BestChange (a client's list of codes, Premium Exchanger,
 * exporters of Exnode): nobody publishes the list itself. The operator names others by `asset update`. Pure.
 */
import { ASSET_IDS, type AssetId } from '../catalog/assets.ts';
import type { Monitor, Settings } from '../catalog/settings.ts';

const CODES: Readonly<Partial<Record<AssetId, string | null>>> = {
	BNB: 'BNBBEP20',
	POL: 'MATIC',
	ETHARB: 'ETHARBTM',
	ETHOP: 'ETHOPTM',
	USDTPOL: 'USDTPOLYGON',
	USDTAVAX: 'USDTAVAXC',
	USDTARB: 'USDTARBTM',
	USDTOP: 'USDTOPTM',
	USDCPOL: 'USDCPOLYGON',
	USDCAVAX: 'USDCAVAXC',
	USDCARB: 'USDCARBTM',
	USDCOP: 'USDCOPTM',
	DAIERC20: 'DAI',
	DAIPOL: null,
	DAIARB: null,
	DAIAVAX: null,
	DAIOP: null,
};

/** Null where the monitor has none, or the operator leaves the asset out of its feed. */
export function monitorCodeOf({ monitorCodes }: Pick<Settings, 'monitorCodes'>, monitor: Monitor, id: AssetId) {
	const own = monitorCodes[monitor][id];
	if (own !== undefined) return own === '' ? null : own;
	return id in CODES ? (CODES[id] ?? null) : id;
}

/** Another asset that the monitor has under this code; null where it has none. */
export const assetUnder = (settings: Settings, monitor: Monitor, code: string, not: AssetId): AssetId | null =>
	ASSET_IDS.find((id) => id !== not && monitorCodeOf(settings, monitor, id) === code) ?? null;
