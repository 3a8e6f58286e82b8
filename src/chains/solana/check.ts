/**
 * Checks each Solana node before coins move there (`operator network check`). Never throws because of what a node says.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { eachNode } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import { accountsAt } from './accounts.ts';
import { checkMints, FINAL, SEEN, solanaRpc } from './node.ts';
import { SIGNATURES, SLOT } from './shapes.ts';

/** Slots, about a minute. If the finalized slot is further behind the newest, the node or the cluster has a problem. */
const MAX_UNFINAL_SLOTS = 150;

/** Checks each configured node by itself. */
export const checkNodes = (
	network: NetworkOf<'solana'>,
	node: NodeConfig,
	hotAddress: string,
): Promise<NetworkCheck[]> => eachNode(node, (one, host) => checkNode(network, one, host, hotAddress));

async function checkNode(
	network: NetworkOf<'solana'>,
	node: NodeConfig,
	host: string,
	hotAddress: string,
): Promise<NetworkCheck[]> {
	const rpc = solanaRpc(network, node);
	const found: NetworkCheck[] = [];
	try {
		const [seen, final] = [await slotAt(SEEN), await slotAt(FINAL)];
		found.push({
			what: `node ${host}`,
			ok: seen - final <= MAX_UNFINAL_SLOTS,
			detail: `genesis of ${node.chain === 'main' ? 'mainnet' : 'another cluster'}, slot ${seen}, finalized ${final}`,
		});
		// A node that does not keep the history of transactions returns an error here.
		await ask(rpc, SIGNATURES, 'getSignaturesForAddress', hotAddress, { commitment: FINAL, limit: 1 });
		const oldest = await ask(rpc, SLOT, 'getFirstAvailableBlock');
		found.push({ what: `history, ${host}`, ok: true, detail: `transactions since slot ${oldest}` });
		if (node.chain === 'main') {
			for (const { asset, ok, detail } of await checkMints(rpc))
				found.push({ what: `${asset} decimals, ${host}`, ok, detail });
		}
		const { accounts } = await accountsAt(rpc, [hotAddress], SEEN);
		const lamports = accounts[0]?.lamports ?? 0n;
		const detail = `${hotAddress} holds ${lamports} lamports`;
		const ok = lamports > 0n;
		found.push({ what: `wallet, ${host}`, ok, detail: ok ? detail : `${detail}: fill it, because it pays every fee` });
	} catch (error) {
		found.push({ what: `node ${host}`, ok: false, detail: String(error) });
	}
	return found;

	function slotAt(commitment: string): Promise<number> {
		return ask(rpc, SLOT, 'getSlot', { commitment });
	}
}
