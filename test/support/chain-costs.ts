/** What a chain says that moving an asset costs now. */
import type { AssetId } from '../../src/catalog/assets.ts';
import type { Chain, Costs } from '../../src/chains/port.ts';

type Costing = Pick<Chain, 'costsNow'>;

const costsOf = async (chain: Costing, asset: AssetId): Promise<Costs> => (await chain.costsNow())(asset);

/** Of one payout, and its coin. */
export const feeOf = async (chain: Costing, asset: AssetId) => (await costsOf(chain, asset)).fee;

export const houseCostsOf = async (chain: Costing, asset: AssetId) => (await costsOf(chain, asset)).house;
