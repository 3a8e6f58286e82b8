/**
 * Whom the wallets have paid. The cold wallet has the key of each transaction that it signed, which shows what an address
 * got; the view-only wallet knows which were its own. A wallet that lacks key images does not even see that it paid: it
 * gets them first.
 */
import * as z from 'zod/mini';
import { sumOf } from '../../money/units.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { SentPayment } from '../sent-payment.ts';
import type { PaidTerms } from '../signing-port.ts';
import { withoutPaymentId } from './address.ts';
import { withKeyImages } from './cold.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions, whereSpent } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { refreshed, sent, transfersOf } from './wallet.ts';
import { piconero, type Transfer } from './wallet-shapes.ts';

/** A block's time may be so far from the true one. */
const BLOCK_TIME_MILLISECONDS = 2 * HOUR_MILLISECONDS;

const TX_KEY = z.lazy(() => z.object({ tx_key: z.string().check(z.minLength(1)) }));
const RECEIVED = z.lazy(() => z.object({ received: piconero }));

/** The programs that the signer asks. */
export interface Programs {
	readonly wallet: MoneroRpc;
	readonly cold: MoneroRpc;
	readonly daemon: MoneroDaemon;
}

/** @throws ChainUnavailable also where nobody knows any more whom a transaction paid */
export async function paymentsTo(programs: Programs, to: readonly string[], since: number): Promise<SentPayment[]> {
	const { wallet, cold, daemon } = programs;
	await refreshed(wallet, daemon);
	const keyImages = (await withKeyImages(wallet, cold)).map(({ key_image }) => key_image);
	if (keyImages.length > 0 && (await whereSpent(daemon, keyImages)) !== null)
		throw new ChainUnavailable('a transaction that the wallet does not know spends its coins');
	const payments: SentPayment[] = [];
	for (const transfer of await sent(wallet)) {
		if (transfer.timestamp * 1000 < since - BLOCK_TIME_MILLISECONDS) continue;
		for (const address of to) {
			const amount = await paidTo(programs, transfer, address);
			if (amount > 0n) payments.push({ txId: transfer.txid, to: address, amount });
		}
	}
	return payments;
}

async function paidTo(programs: Programs, { txid, destinations }: Transfer, address: string): Promise<bigint> {
	const plain = withoutPaymentId(address);
	if (destinations.length > 0) return sumOf(destinations.filter((each) => withoutPaymentId(each.address) === plain));
	const paid = await paidByKey(programs, txid, plain);
	if (paid === null) throw new ChainUnavailable(`neither wallet knows any more whom ${txid} paid`);
	return paid;
}

/** Null where the cold wallet has no key of this transaction. `address`: without payment id. */
async function paidByKey({ wallet, cold }: Programs, txid: string, address: string): Promise<bigint | null> {
	try {
		const { tx_key } = await cold.call(TX_KEY, 'get_tx_key', { txid });
		return (await wallet.call(RECEIVED, 'check_tx_key', { txid, tx_key, address })).received;
	} catch (error) {
		if (error instanceof RpcError) return null;
		throw error;
	}
}

/**
 * Is this transaction of the wallet that payment? One whose key the cold wallet has not, because it was made again since,
 * is judged by how much it sent. @throws ChainUnavailable
 */
export async function hasPaid(
	programs: Programs,
	txId: string,
	{ to, amount }: Pick<PaidTerms, 'to' | 'amount'>,
): Promise<boolean> {
	const { wallet, daemon } = programs;
	if (!(await heldTransactions(daemon, [txId])).has(txId)) return false;
	const paid = await paidByKey(programs, txId, withoutPaymentId(to));
	if (paid !== null) return paid === amount;
	return (await transfersOf(wallet, txId)).some((each) => each.type === 'out' && each.amount === amount);
}
