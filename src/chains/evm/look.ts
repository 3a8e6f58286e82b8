/**
 * The `Chain` of an EVM network: its native coin and its tokens. Holds no key. Each token's contract is checked
 * (`token-check.ts`) before the token is scanned, priced or moved.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Look, Looking } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt, spendable } from './balances.ts';
import { broadcast } from './broadcast.ts';
import { checkNode } from './check.ts';
import { depositDepths } from './deposit-depths.ts';
import { depthOfPlace, headOf, requireHead, tipsOf, transactionPlaces } from './depth.ts';
import { contractOf } from './erc20.ts';
import { costsNow } from './fees.ts';
import { InternalDeposits } from './internal.ts';
import { lying } from './lying.ts';
import { nonceOf, Queued } from './next.ts';
import { ask, evmRpc } from './node.ts';
import { overtaker } from './overtaker.ts';
import { evmParams } from './params.ts';
import { sentPayments } from './payments-to.ts';
import { received } from './received.ts';
import { isContract, recipientProblem } from './recipient.ts';
import type { ScanMemory, Scanner } from './scan.ts';
import { QUANTITY } from './shapes.ts';
import { sweepQuotes } from './sweep.ts';
import { assetCheck } from './token-check.ts';

export function evmLook(network: NetworkOf<'evm'>, node: NodeConfig, hotAddress: string): Looking<Scanner> {
	const params = evmParams(network, node.chain);
	const rpc = evmRpc(params, node);
	const requireAsset = assetCheck(rpc, params);
	const internals = new InternalDeposits(rpc);
	const queued = new Queued();
	const memory: ScanMemory = { seen: 0 };
	const sent = sentPayments(rpc, params, hotAddress);

	const look: Look = {
		sequential: true,
		nonceOf,
		overtaker: (raw, from, guess) => overtaker(rpc, raw, from, guess),
		isAddress: isEvmAddress,

		recipientProblem: (_asset, to) => recipientProblem(rpc, to),

		/** The node needs no list of addresses. The call makes sure that a node of the right chain answers. */
		async register() {
			await ask(rpc, QUANTITY, 'eth_chainId');
		},

		async depths(refs) {
			const found = await depositDepths(rpc, params, internals, refs);
			// A node that is behind the last scan may not know the missing deposits yet.
			if (found.includes(null)) await requireHead(rpc, memory.seen);
			return found;
		},

		async costsNow() {
			const costsOf = await costsNow(rpc, params, hotAddress);
			return async (asset) => {
				await requireAsset(asset);
				return costsOf(asset);
			};
		},

		broadcast: (raw) => broadcast(rpc, queued, raw, hotAddress),

		async transactionDepth(txId) {
			const place = (await transactionPlaces(rpc, [txId])).get(txId);
			return place ? { ...depthOfPlace(place, await tipsOf(rpc)), reverted: !place.success, fee: place.fee } : null;
		},

		async paymentsTo(asset, to, since) {
			await requireHead(rpc, memory.seen);
			return sent({ contract: contractOf(params, asset), to, since });
		},

		async balance(asset) {
			await requireAsset(asset);
			return spendable(rpc, contractOf(params, asset), hotAddress);
		},

		async holdings(asset, addresses) {
			await requireAsset(asset);
			const { height } = await headOf(rpc);
			const balances = await balancesAt(rpc, contractOf(params, asset), [hotAddress, ...addresses], height);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},

		isContract: (address) => isContract(rpc, address),

		lying: (addresses) => lying({ rpc, params, requireAsset }, addresses),

		received: (txId, address) => received(rpc, params, txId, address),

		reserve: 'balance',

		sweeping: {
			feePayer: 'address',
			// A node that has pruned its states cannot tell what an emptied address held.
			onlyRecorded: true,
			quote: (targets) => sweepQuotes({ rpc, params, hotAddress, requireAsset }, targets),
			async balances(asset, addresses) {
				await requireAsset(asset);
				return balancesAt(rpc, contractOf(params, asset), addresses, (await headOf(rpc)).height);
			},
		},

		check: async () =>
			(await Promise.all(node.urls.map((url) => checkNode(params, { ...node, urls: [url] }, hotAddress)))).flat(),
	};
	return { look, scanning: { rpc, network, params, requireAsset, memory } };
}
