/** A UTXO network's parameters for the chain that its nodes are on. Pure. */
import type { UtxoNetworkParams } from '../../catalog/networks/row.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain } from '../configuration.ts';

export type UtxoParams = Omit<UtxoNetworkParams, 'regtest'>;

/** SLIP-0044: the same for every test chain. */
const TEST_COIN_TYPE = 1;

export function utxoParams({ params }: NetworkOf<'utxo'>, chain: NodeChain): UtxoParams {
	const { regtest, ...main } = params;
	return chain === 'main' ? main : { ...main, ...regtest, coinType: TEST_COIN_TYPE };
}

/** Those of the wallet whose outputs two keys spend. */
export const sharedParams = (params: UtxoParams): UtxoParams => ({
	...params,
	ownScript: params.hrp === null ? 'p2sh' : 'p2wsh',
});
