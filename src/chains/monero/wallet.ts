/**
 * A view-only monero-wallet-rpc, asked about our account 0. It reads blocks only when asked. It finds its own coins
 * with the view key, and sees that they are spent by the key images that the cold wallet gave it.
 */
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { ask, type MoneroRpc, unavailable } from './node.ts';
import { ACCOUNT } from './subaddress-index.ts';
import {
	HEIGHT,
	NOTHING,
	OUTPUTS,
	type Output,
	SENT_TRANSFERS,
	TRANSFERS_OF_ONE,
	type Transfer,
} from './wallet-shapes.ts';

/** monero-wallet-rpc's WALLET_RPC_ERROR_CODE_WRONG_TXID: the wallet knows no such transaction. */
const WRONG_TXID = -8;
/**
 * Refreshes per call at most: a wallet sometimes stops reading before the last block, and then another refresh helps.
 */
const MAX_READINGS = 3;
/** Blocks that the wallet may still be behind its node: they arrive while it reads. */
const MAX_LAG_BLOCKS = 2;

/**
 * Makes the wallet read new blocks. Returns the number of blocks that it has read.
 * @throws ChainUnavailable also from a wallet that is still reading, or that has blocks which its node has dropped:
 * such a wallet corrects itself only when new blocks come.
 */
export async function refreshed(wallet: MoneroRpc, daemon: MoneroDaemon): Promise<number> {
	let [best, height] = [0, -1];
	for (let readings = 0; readings < MAX_READINGS && height < best; readings++) {
		await ask(wallet, NOTHING, 'refresh');
		best = await daemon.blocks();
		height = (await ask(wallet, HEIGHT, 'get_height')).height;
	}
	if (height > best) throw new ChainUnavailable(`the wallet is at height ${height}, monerod has only ${best} blocks`);
	if (height < best - MAX_LAG_BLOCKS)
		throw new ChainUnavailable(`the wallet is still reading blocks, ${height} of ${best}`);
	return height;
}

/** The wallet's entries about one transaction: one entry for each of our addresses in it. */
export async function transfersOf(wallet: MoneroRpc, txId: string): Promise<Transfer[]> {
	try {
		const { transfers } = await wallet.call(TRANSFERS_OF_ONE, 'get_transfer_by_txid', {
			txid: txId,
			account_index: ACCOUNT,
		});
		return transfers.filter(({ txid }) => txid === txId);
	} catch (error) {
		if (error instanceof RpcError && error.code === WRONG_TXID) return [];
		throw unavailable(error);
	}
}

/** All that this wallet has sent in blocks from `since` on, newest first. @throws ChainUnavailable */
export async function sent(wallet: MoneroRpc, since = 0): Promise<Transfer[]> {
	const range = since > 0 && { filter_by_height: true, min_height: since - 1 };
	const { out } = await ask(wallet, SENT_TRANSFERS, 'get_transfers', { account_index: ACCOUNT, out: true, ...range });
	return out.toSorted((a, b) => b.height - a.height);
}

async function outputsOf(wallet: MoneroRpc, transfer_type: 'available' | 'unavailable'): Promise<Output[]> {
	return (await ask(wallet, OUTPUTS, 'incoming_transfers', { transfer_type, account_index: ACCOUNT })).transfers;
}

/** Unspent outputs in blocks, including frozen and locked ones. */
export const unspentOutputs = (wallet: MoneroRpc): Promise<Output[]> => outputsOf(wallet, 'available');

export const spentOutputs = (wallet: MoneroRpc): Promise<Output[]> => outputsOf(wallet, 'unavailable');
