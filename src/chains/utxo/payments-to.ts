/** Payments that the watch-only wallet made, found by whom they pay: for a payment that may be sent and is not on record. */
import { DAY_SECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SentPayment } from '../sent-payment.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { scriptOf } from './address.ts';
import { heldTransactions } from './depth.ts';
import type { UtxoParams } from './params.ts';
import { blockAt, type Listed, tryList } from './scan.ts';
import type { Entry } from './shapes.ts';

/** Longer than a backup is useful. */
const LONGEST_SECONDS = 30 * DAY_SECONDS;

export interface PaymentTerms {
	readonly to: string;
	/** Base units. */
	readonly amount: bigint;
}

/** Is that what the wallet sent here? */
function isPayment({ category, address, amount: moved }: Entry, { to, amount }: PaymentTerms, params: UtxoParams) {
	if (category !== 'send' || moved !== -amount || address === undefined) return false;
	return scriptOf(address, params)?.join() === scriptOf(to, params)?.join();
}

/** Is this transaction, in the best chain or the mempool, that payment? @throws ChainUnavailable */
export async function hasPaid(rpc: JsonRpc, params: UtxoParams, txId: string, terms: PaymentTerms): Promise<boolean> {
	const sent = (await heldTransactions(rpc, [txId])).get(txId);
	return sent?.details.some((entry) => isPayment(entry, terms, params)) ?? false;
}

export interface Height {
	/** The best block's height. */
	readonly height: number;
	readonly blockSeconds: number;
}

/**
 * The payments that the wallet lists as sent in the last month, on any branch.
 * @throws ChainUnavailable also where there is too much to read: a payment must not look unsent
 */
export async function sends(rpc: JsonRpc, { height, blockSeconds }: Height): Promise<Listed[]> {
	const from = await blockAt(rpc, Math.max(0, height - Math.ceil(LONGEST_SECONDS / blockSeconds)));
	const list = await tryList(rpc, from.hash);
	if (!list) throw new ChainUnavailable('the wallet has made more payments than can be read at once');
	return list.entries.filter(({ category }) => category === 'send');
}

/** The script that the wallet paid with this entry, as text that compares. */
export const paidScript = ({ address }: Pick<Listed, 'address'>, params: UtxoParams): string | undefined =>
	address === undefined ? undefined : scriptOf(address, params)?.join();

/** Transactions in the best chain or the mempool. @throws ChainUnavailable as `sends` */
export async function paymentsTo(
	rpc: JsonRpc,
	params: UtxoParams,
	height: Height,
	to: readonly string[],
): Promise<SentPayment[]> {
	const asked = Map.groupBy(to, (address) => paidScript({ address }, params));
	const paid = (await sends(rpc, height)).flatMap((entry) => {
		const script = paidScript(entry, params);
		const found = script === undefined ? [] : (asked.get(script) ?? []);
		return found.map((wanted) => ({ txId: entry.txid, to: wanted, amount: -entry.amount }));
	});
	const held = await heldTransactions(rpc, txIdsOf(paid));
	return paid.filter(({ txId }) => held.has(txId));
}
