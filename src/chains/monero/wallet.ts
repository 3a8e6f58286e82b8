/**
 * What a view-only monero-wallet-rpc says of our account 0. It reads blocks when it is asked to, notices its own coins
 * by the view key, and their spending by key images that the cold wallet gave it.
 */
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { ask, type MoneroRpc } from './node.ts';
import { BALANCE, HEIGHT, NOTHING, OUTPUTS, type Output, TRANSFERS_OF_ONE, type Transfer } from './shapes.ts';
import { ACCOUNT } from './subaddress-index.ts';

/** monero-wallet-rpc's WALLET_RPC_ERROR_CODE_WRONG_TXID: the wallet knows no such transaction. */
const WRONG_TXID = -8;
/** A wallet stops reading now and then before the last block; it is then asked again, so many times in all. */
const MAX_READINGS = 3;
/** Blocks by which the wallet may be behind its node then: they come while it reads. */
const MAX_LAG_BLOCKS = 2;

/**
 * Makes the wallet read what is new; the blocks that it has read then.
 * @throws ChainUnavailable also from a wallet that still reads, or that has blocks which its node has no longer: such a
 * wallet is right again only when other blocks have come.
 */
export async function refreshed(wallet: MoneroRpc, daemon: MoneroDaemon): Promise<number> {
	let [best, height] = [0, -1];
	for (let readings = 0; readings < MAX_READINGS && height < best; readings++) {
		await ask(wallet, NOTHING, 'refresh');
		best = await daemon.blocks();
		height = (await ask(wallet, HEIGHT, 'get_height')).height;
	}
	if (height > best) throw new ChainUnavailable(`the wallet is at height ${height}, monerod has only ${best} blocks`);
	if (height < best - MAX_LAG_BLOCKS) throw new ChainUnavailable(`the wallet still reads blocks, ${height} of ${best}`);
	return height;
}

/** Is it money that came to an address of ours, free to be spent as all coins are? */
export function isCredit({ type, unlock_time, double_spend_seen, subaddr_index }: Transfer): boolean {
	const arrived = type === 'in' || (type === 'pool' && !double_spend_seen);
	return arrived && unlock_time === 0n && subaddr_index.major === ACCOUNT;
}

/** One transaction pays one address once, whatever its outputs. */
export const positionOf = ({ subaddr_index: { major, minor } }: Transfer): string => `${major}/${minor}`;

/** All that the wallet knows of one transaction, an entry for each of our addresses in it. */
export async function transfersOf(wallet: MoneroRpc, txId: string): Promise<Transfer[]> {
	try {
		const { transfers } = await wallet.call(TRANSFERS_OF_ONE, 'get_transfer_by_txid', {
			txid: txId,
			account_index: ACCOUNT,
		});
		return transfers.filter(({ txid }) => txid === txId);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (error.code === WRONG_TXID) return [];
		throw new ChainUnavailable(`${error.code} ${error.message}`);
	}
}

/** Unspent outputs in blocks, frozen and locked ones too. */
export async function unspentOutputs(wallet: MoneroRpc): Promise<Output[]> {
	const params = { transfer_type: 'available', account_index: ACCOUNT };
	return (await ask(wallet, OUTPUTS, 'incoming_transfers', params)).transfers;
}

/** `strict`: what blocks hold, as if the mempool were empty. Frozen outputs are in neither figure. */
export async function balances(wallet: MoneroRpc, strict: boolean): Promise<{ all: bigint; unlocked: bigint }> {
	const params = { account_index: ACCOUNT, strict };
	const { balance, unlocked_balance } = await ask(wallet, BALANCE, 'get_balance', params);
	return { all: balance, unlocked: unlocked_balance };
}
