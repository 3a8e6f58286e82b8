/**
 * Solana's nodes. Promises: before any other request, each node has shown that it is of our cluster and, on mainnet,
 * that its mints match the catalog. Tokens of another cluster or mint are not the coins that we owe.
 */
import { allAssets, assetOf } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask } from '../rpc/answers.ts';
import { checkedNode } from '../rpc/failover.ts';
import { firstThatAnswers, type JsonRpc, jsonRpc } from '../rpc/json-rpc.ts';
import { accountsAt, mintDecimals } from './accounts.ts';
import { PUBLIC_KEY } from './shapes.ts';

/** Commitments: a supermajority has voted for the block; the block cannot be undone. */
export const SEEN = 'confirmed';
export const FINAL = 'finalized';

/** The code for the node's own state: it is behind the cluster, or has no recent block. */
const NODE_STATE: ReadonlySet<number> = new Set([-32005]);

/** The nodes in order of preference, each checked before its first other request. */
export const solanaRpc = ({ params }: NetworkOf<'solana'>, { urls, chain, headers }: NodeConfig): JsonRpc =>
	firstThatAnswers(
		urls.map((url) =>
			checkedNode(jsonRpc([url], headers, NODE_STATE), (node) => requireCluster(node, params.genesis, chain)),
		),
	);

/** @throws ChainUnavailable */
async function requireCluster(rpc: JsonRpc, mainGenesis: string, chain: NodeChain): Promise<void> {
	const genesis = await ask(rpc, PUBLIC_KEY, 'getGenesisHash');
	if ((genesis === mainGenesis) !== (chain === 'main'))
		throw new ChainUnavailable(`the node's genesis is ${genesis}, which is not that of ${chain}`);
	if (chain !== 'main') return;
	const wrong = (await checkMints(rpc)).find(({ ok }) => !ok);
	if (wrong) throw new ChainUnavailable(`${wrong.asset}: ${wrong.detail}`);
}

const TOKENS = allAssets().filter(({ network, contract }) => network === 'Solana' && contract !== undefined);

/**
 * Does each token's mint exist, belong to the Token program, and have the catalog's decimals? @throws ChainUnavailable
 */
export async function checkMints(rpc: JsonRpc) {
	const mints = TOKENS.map(({ contract = '' }) => contract);
	const { accounts } = await accountsAt(rpc, mints, FINAL);
	return TOKENS.map(({ code }, at) => {
		const decimals = mintDecimals(accounts[at] ?? null);
		const expected = assetOf(code).decimals;
		const detail =
			decimals === null
				? `${mints[at]} is not a mint of the Token program on this node`
				: `${decimals} decimals${decimals === expected ? '' : `, not the ${expected} of the catalog`}`;
		return { asset: code, ok: decimals === expected, detail };
	});
}
