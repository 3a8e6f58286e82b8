/** Verifies a reserve by public nodes of an EVM network. */
import type { NetworkOf } from '../../catalog/networks.ts';
import { signedByAccount } from '../account-signature.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Shown, VerifyingFamily } from '../verifying-port.ts';
import { checksumAddress } from './address.ts';
import { balancesAt } from './balances.ts';
import { contractOf } from './erc20.ts';
import { ask, evmRpc } from './node.ts';
import { evmParams } from './params.ts';
import { hexOf, TIMED_BLOCK_OR_NONE } from './shapes.ts';

export const evmVerifying: VerifyingFamily<NetworkOf<'evm'>> = {
	signedBy: (_network, _chain, text) => signedByAccount('Ethereum', checksumAddress, text),
	shown: evmShown,
};

function evmShown(network: NetworkOf<'evm'>, node: NodeConfig): Shown {
	const params = evmParams(network, node.chain);
	const rpc = evmRpc(params, node);
	return {
		async timeOf({ height, hash }) {
			const found = await ask(rpc, TIMED_BLOCK_OR_NONE, 'eth_getBlockByNumber', hexOf(height), false);
			return found?.hash === hash ? found.timestamp : null;
		},
		async held(asset, { address }, { height }) {
			const [held] = await balancesAt(rpc, contractOf(params, asset), [address], height);
			if (held === undefined) throw new ChainUnavailable('the node did not answer with the balance');
			return held;
		},
	};
}
