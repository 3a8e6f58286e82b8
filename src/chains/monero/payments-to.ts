/**
 * Whom the wallets have paid. The view-only wallet knows it of what it submitted itself. Of what another one submitted
 * before it was made again, the cold wallet has the transaction's key, which shows what an address got. A wallet that lacks
 * key images does not even see that it paid: it gets them first.
 */
import * as z from 'zod/mini';
import { sumOf } from '../../money/units.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { SentPayment } from '../sent-payment.ts';
import { withoutPaymentId } from './address.ts';
import { withKeyImages } from './cold.ts';
import type { MoneroDaemon } from './daemon.ts';
import { whereSpent } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { piconero, type Transfer } from './shapes.ts';
import { refreshed, sent } from './wallet.ts';

/** A block's time may be so far from the true one. */
const BLOCK_TIME_MILLISECONDS = 2 * HOUR_MILLISECONDS;

const TX_KEY = z.lazy(() => z.object({ tx_key: z.string().check(z.minLength(1)) }));
const RECEIVED = z.lazy(() => z.object({ received: piconero }));

/** @throws ChainUnavailable also where nobody knows any more whom a transaction paid */
export async function paymentsTo(
	{ wallet, cold, daemon }: { readonly wallet: MoneroRpc; readonly cold: MoneroRpc; readonly daemon: MoneroDaemon },
	to: readonly string[],
	since: number,
): Promise<SentPayment[]> {
	await refreshed(wallet, daemon);
	const keyImages = (await withKeyImages(wallet, cold)).map(({ key_image }) => key_image);
	if (keyImages.length > 0 && (await whereSpent(daemon, keyImages)) !== null)
		throw new ChainUnavailable('a transaction that the wallet does not know spends its coins');
	const payments: SentPayment[] = [];
	for (const transfer of await sent(wallet)) {
		if (transfer.timestamp * 1000 < since - BLOCK_TIME_MILLISECONDS) continue;
		for (const address of to) {
			const amount = await paidTo(wallet, cold, transfer, address);
			if (amount > 0n) payments.push({ txId: transfer.txid, to: address, amount });
		}
	}
	return payments;
}

async function paidTo(wallet: MoneroRpc, cold: MoneroRpc, transfer: Transfer, address: string): Promise<bigint> {
	const { txid, destinations } = transfer;
	const plain = withoutPaymentId(address);
	if (destinations.length > 0) return sumOf(destinations.filter((each) => withoutPaymentId(each.address) === plain));
	try {
		const { tx_key } = await cold.call(TX_KEY, 'get_tx_key', { txid });
		return (await wallet.call(RECEIVED, 'check_tx_key', { txid, tx_key, address: plain })).received;
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		throw new ChainUnavailable(`neither wallet knows any more whom ${txid} paid: ${error.message}`);
	}
}
