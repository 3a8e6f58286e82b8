/** Checks each node of a UTXO network before coins move there (`operator network check`). */
import * as z from 'zod/mini';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { checked, eachNode } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask, utxoRpc } from './node.ts';
import { ADDRESS_INFO, isWatched } from './register.ts';
import { CHAIN_INFO } from './shapes.ts';

const WALLET_INFO = z.lazy(() =>
	z.object({
		walletname: z.string(),
		private_keys_enabled: z.optional(z.boolean()),
		descriptors: z.optional(z.boolean()),
	}),
);
const BEST_CHAIN_LOCK = z.lazy(() => z.object({ height: z.int() }));

type Verdict = readonly [ok: boolean, detail: string];

/** A node whose chain check fails is asked nothing more. */
export const checkNodes = (network: NetworkOf<'utxo'>, node: NodeConfig, hotAddress: string): Promise<NetworkCheck[]> =>
	eachNode(node, async (one, host) => {
		const rpc = utxoRpc(one);
		const chain = await checked(`chain of ${host}`, () => judgeChain(rpc, node));
		if (!chain.ok) return [chain];
		const asksChainLocks = node.chain === 'main' && network.confirmations.some(({ tag }) => tag === 'chainlock');
		return [
			chain,
			await checked(`wallet of ${host}`, () => judgeWallet(rpc)),
			await checked(`hot wallet of ${host}`, () => judgeHotAddress(rpc, hotAddress)),
			...(asksChainLocks ? [await checked(`ChainLocks of ${host}`, () => judgeChainLocks(rpc))] : []),
		];
	});

async function judgeChain(rpc: JsonRpc, node: NodeConfig): Promise<Verdict> {
	const info = await ask(rpc, CHAIN_INFO, 'getblockchaininfo');
	const said = `${info.chain}, height ${info.blocks}`;
	if (info.chain !== node.chain) return [false, `${said}; should be on ${node.chain}: check NODE_URL and NODE_CHAIN`];
	if (info.initialblockdownload) return [false, `${said}; still catching up: wait until it is done`];
	return [true, said];
}

/** A key on a node would be a key that the signer does not guard. */
async function judgeWallet(rpc: JsonRpc): Promise<Verdict> {
	const info = await ask(rpc, WALLET_INFO, 'getwalletinfo');
	const kind = info.descriptors ? 'descriptors' : 'legacy';
	const said = `${info.walletname || 'the unnamed wallet'}, ${kind}`;
	if (info.private_keys_enabled !== false)
		return [false, `${said}; may hold keys: create one with disable_private_keys and name it in the URL`];
	return [true, `${said}, watch-only`];
}

async function judgeHotAddress(rpc: JsonRpc, hotAddress: string): Promise<Verdict> {
	const watched = isWatched(await ask(rpc, ADDRESS_INFO, 'getaddressinfo', hotAddress));
	if (watched) return [true, `${hotAddress} is watched`];
	return [
		false,
		`${hotAddress} is not watched: the service adds it when it first uses a node; a wallet that is added later must be a copy of one that has all addresses`,
	];
}

async function judgeChainLocks(rpc: JsonRpc): Promise<Verdict> {
	const { height } = await ask(rpc, BEST_CHAIN_LOCK, 'getbestchainlock');
	return [true, `up to height ${height}`];
}
