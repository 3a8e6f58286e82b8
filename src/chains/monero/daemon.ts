/**
 * monerod, which knows the chain itself. The wallet alone is not enough: after a reorganisation it notices the dropped
 * blocks only when new ones come, and it does not know strangers' transactions in the mempool.
 */
import { ChainUnavailable } from '../errors.ts';
import { ask, type MoneroRpc } from './node.ts';
import { INFO } from './shapes.ts';

export interface MoneroDaemon {
	readonly rpc: MoneroRpc;
	/**
	 * Number of blocks in the best chain. @throws ChainUnavailable also from a node of another chain, or one that is
	 * catching up.
	 */
	blocks(): Promise<number>;
}

/** `chain`: the name that monerod must report for its chain. */
export const moneroDaemon = (rpc: MoneroRpc, chain: string): MoneroDaemon => ({
	rpc,
	async blocks() {
		const { nettype, height, synchronized } = await ask(rpc, INFO, 'get_info');
		if (nettype !== chain) throw new ChainUnavailable(`monerod is on ${nettype}, not on ${chain}`);
		if (!synchronized) throw new ChainUnavailable(`monerod is still catching up, at height ${height}`);
		return height;
	},
});
