/**
 * A view-only monero-wallet-rpc, asked about our account 0. It reads blocks only when asked. It finds its own coins
 * with the view key, and sees that they are spent by the key images that the cold wallet gave it.
 */
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { ask, type MoneroRpc, unavailable } from './node.ts';
import {
	BALANCE,
	HEIGHT,
	NOTHING,
	OUTPUTS,
	type Output,
	SENT_TRANSFERS,
	TRANSFERS_OF_ONE,
	type Transfer,
} from './shapes.ts';
import { ACCOUNT } from './subaddress-index.ts';

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

/** Is it a payment to one of our addresses? */
export function isArrival({ type, double_spend_seen, subaddr_index }: Transfer): boolean {
	const arrived = type === 'in' || (type === 'pool' && !double_spend_seen);
	return arrived && subaddr_index.major === ACCOUNT;
}

/** And is it spendable like any other coin: not locked by its payer, or no longer? The wallet calls every young coin locked. */
export const isCredit = (transfer: Transfer): boolean =>
	isArrival(transfer) && (transfer.unlock_time === 0n || !transfer.locked);

/** All outputs of one transaction to one address are one payment. */
export const positionOf = ({ subaddr_index: { major, minor } }: Transfer): string => `${major}/${minor}`;

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

/**
 * Is this transaction of the wallet that payment? A wallet that was made again since knows only how much it sent.
 * @throws ChainUnavailable
 */
export async function hasPaid(wallet: MoneroRpc, txId: string, to: string, amount: bigint): Promise<boolean> {
	const sent = (await transfersOf(wallet, txId)).find(({ type }) => type === 'out' || type === 'pending');
	if (!sent) return false;
	if (sent.destinations.length === 0) return sent.amount === amount;
	return sent.destinations.some((each) => each.address === to && each.amount === amount);
}

/** Everything that this wallet has sent, in blocks or not yet, newest first. @throws ChainUnavailable */
export async function sent(wallet: MoneroRpc): Promise<Transfer[]> {
	const params = { account_index: ACCOUNT, out: true, pending: true };
	const { out, pending } = await ask(wallet, SENT_TRANSFERS, 'get_transfers', params);
	return [...pending, ...out.toSorted((a, b) => b.height - a.height)];
}

/** Unspent outputs in blocks, including frozen and locked ones. */
export async function unspentOutputs(wallet: MoneroRpc): Promise<Output[]> {
	const params = { transfer_type: 'available', account_index: ACCOUNT };
	return (await ask(wallet, OUTPUTS, 'incoming_transfers', params)).transfers;
}

/** `strict`: counts only blocks and ignores the mempool. Neither figure includes frozen outputs. */
export async function balances(wallet: MoneroRpc, strict: boolean): Promise<{ all: bigint; unlocked: bigint }> {
	const params = { account_index: ACCOUNT, strict };
	const { balance, unlocked_balance } = await ask(wallet, BALANCE, 'get_balance', params);
	return { all: balance, unlocked: unlocked_balance };
}
