/**
 * The `Chain` of an EVM network: its native coin and its tokens. Holds no key. Each token's contract is checked
 * (`token-check.ts`) before the token is scanned, priced or moved.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Looking } from '../looking.ts';
import type { Look } from '../port.ts';
import { balancesAt } from './balances.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { headOf, transactionDepth } from './depth.ts';
import { contractOf } from './erc20.ts';
import { Queued } from './next.ts';
import { ask, type EvmRpc, evmRpc } from './node.ts';
import { overtaker } from './overtaker.ts';
import { evmParams } from './params.ts';
import { isContract } from './recipient.ts';
import type { Scanner } from './scan.ts';
import { QUANTITY } from './shapes.ts';
import { sweepQuotes, unlistedQuote } from './sweep.ts';

export function evmLook(network: NetworkOf<'evm'>, node: NodeConfig, hotAddress: string): Looking<Scanner> {
	const params = evmParams(network, node.chain);
	const rpc = evmRpc(params, node);
	const queued = new Queued();
	const scanning: Scanner = { rpc, network, memory: { seen: 0 } };

	const look: Look = {
		overtaker: (raw, from, guess) => overtaker(rpc, raw, from, guess),
		/** The node needs no list of addresses. The call makes sure that a node of the right chain answers. */
		async register() {
			await ask(rpc, QUANTITY, 'eth_chainId');
		},
		broadcast: (raw) => broadcast(rpc, queued, raw, hotAddress),
		transactionDepth: (txId) => transactionDepth(rpc, txId),
		isContract: (address) => isContract(rpc, address),
		quoteToken: (target) => unlistedQuote(rpc, hotAddress, target),
		sweeping: {
			feePayer: 'address',
			onlyRecorded: true,
			quote: (targets) => sweepQuotes(rpc, hotAddress, targets),
			balances: (asset, addresses) => held(rpc, asset, addresses),
		},
		check: () => checkNodes(params, node, hotAddress),
	};
	return { look, scanning };
}

/** Base units that each address holds. */
export async function held(rpc: EvmRpc, asset: AssetId, addresses: readonly string[]): Promise<bigint[]> {
	await rpc.requireAsset(asset);
	return balancesAt(rpc, contractOf(rpc.params, asset), addresses, (await headOf(rpc)).height);
}
