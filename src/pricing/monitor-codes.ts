/**
 * The codes of monitors for our assets, where they differ from our ids; null where a monitor has none, and the pair is left
 * out of its feed. The codes are those of clients and exporters of BestChange (a client's list of codes, Premium Exchanger,
 * exporters of Exnode): nobody publishes the list itself. Pure data.
 */
import type { AssetId } from '../catalog/assets.ts';

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

export const monitorCodeOf = (id: AssetId): string | null => (id in CODES ? (CODES[id] ?? null) : id);
