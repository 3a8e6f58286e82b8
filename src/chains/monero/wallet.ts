/**
 * What a view-only monero-wallet-rpc says of our account 0. It reads blocks when it is asked to, notices its own coins
 * by the view key, and their spending by key images that the cold wallet gave it.
 */
import * as z from 'zod';
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { ask, type MoneroRpc } from './rpc.ts';
import { ACCOUNT } from './subaddress-index.ts';

/** monero-wallet-rpc's WALLET_RPC_ERROR_CODE_WRONG_TXID: the wallet knows no such transaction. */
const WRONG_TXID = -8;
/** A wallet stops reading now and then before the last block; it is then asked again, so many times in all. */
const MAX_READINGS = 3;
/** Blocks by which the wallet may be behind its node then: they come while it reads. */
const MAX_LAG_BLOCKS = 2;

/** Above 2^53 numbers arrive as text (json-rpc.ts). */
const piconero = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]).transform((units) => BigInt(units));
const subaddress = z.object({ major: z.int().nonnegative(), minor: z.int().nonnegative() });
const TRANSFER = z.object({
	txid: z.string().regex(/^[0-9a-f]{64}$/),
	type: z.string(),
	address: z.string(),
	amount: piconero,
	fee: piconero,
	height: z.int().nonnegative(),
	unlock_time: piconero,
	double_spend_seen: z.boolean(),
	subaddr_index: subaddress,
});
export type Transfer = z.output<typeof TRANSFER>;

const transfers = z.array(TRANSFER).default([]);
const TRANSFERS = z.object({ in: transfers, pool: transfers, pending: transfers });
const TRANSFERS_OF_ONE = z.object({ transfers });
const HEIGHT = z.object({ height: z.int().positive() });
const BALANCE = z.object({ balance: piconero, unlocked_balance: piconero });
const OUTPUTS = z.object({
	transfers: z
		.array(z.object({ amount: piconero, key_image: z.string(), frozen: z.boolean(), subaddr_index: subaddress }))
		.default([]),
});
export type Output = z.output<typeof OUTPUTS>['transfers'][number];
export const NOTHING = z.object({});

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

interface Found extends z.output<typeof TRANSFERS> {
	readonly unread: readonly string[];
}

/** Of strangers' payments there may be more than one answer holds: then of half the blocks, and of the mempool alone. */
async function transfersWithin(wallet: MoneroRpc, above: number, until: number, pooled: boolean): Promise<Found> {
	const range = { account_index: ACCOUNT, filter_by_height: true, min_height: above, max_height: until };
	const kinds = { in: until > above, pool: pooled, pending: pooled };
	try {
		return { ...(await ask(wallet, TRANSFERS, 'get_transfers', { ...kinds, ...range })), unread: [] };
	} catch (error) {
		if (!(error instanceof ChainUnavailable && error.tooLarge)) throw error;
	}
	if (pooled && until === above) return nothingOf('the mempool; its payments are seen when they are in a block');
	if (!pooled && until - above <= 1) return nothingOf(`block ${until}`);
	const middle = pooled ? until : Math.floor((above + until) / 2);
	const parts = [
		await transfersWithin(wallet, above, middle, false),
		await transfersWithin(wallet, middle, until, pooled),
	];
	return {
		in: parts.flatMap((part) => part.in),
		pool: parts.flatMap((part) => part.pool),
		pending: parts.flatMap((part) => part.pending),
		unread: parts.flatMap((part) => part.unread),
	};
}

const nothingOf = (where: string): Found => ({
	...{ in: [], pool: [], pending: [] },
	unread: [`more payments to us than can be read in ${where}`],
});

/**
 * Payments to us in blocks above `height`, up to `until`, and in the mempool, payments of ours that no block holds yet.
 * The wallet's idea of the mempool may be old, so monerod is asked what is in there.
 */
export async function transfersAbove(wallet: MoneroRpc, daemon: MoneroDaemon, height: number, until: number) {
	const found = await transfersWithin(wallet, Math.min(Math.max(0, height), until), until, true);
	const held = await daemon.held([...found.pool, ...found.pending].map(({ txid }) => txid));
	const isPooled = ({ txid }: Transfer): boolean => {
		const transaction = held.get(txid);
		return transaction?.depth.height === null && !transaction.doubleSpent;
	};
	return {
		credits: [...found.in, ...found.pool.filter(isPooled)].filter(isCredit),
		unread: found.unread,
		pending: found.pending.filter(({ txid }) => (held.get(txid)?.depth.height ?? null) === null),
	};
}

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
