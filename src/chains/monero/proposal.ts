/** The view-only wallet's proposal for a payment: an unsigned set. It chooses among coins that are not frozen. */
import * as z from 'zod/mini';
import { InsufficientReserve, PaymentImpossible, SigningBlocked } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { PaidTerms, Spent } from '../signing-port.ts';
import { ask, type MoneroRpc, unavailable } from './node.ts';
import { ACCOUNT } from './subaddress-index.ts';
import { NOTHING, type Output } from './wallet-shapes.ts';

/** monero-wallet-rpc's codes. */
const TX_NOT_POSSIBLE = -16;
const NOT_ENOUGH_MONEY = -17;
const TX_TOO_LARGE = -18;
const NOT_ENOUGH_UNLOCKED_MONEY = -37;
/** The wallet insists on the decoys of an earlier proposal, among which a reorganisation moved the coin. */
const OLD_RING = /known ring does not include/i;
const NOT_ENOUGH: readonly number[] = [TX_NOT_POSSIBLE, NOT_ENOUGH_MONEY, NOT_ENOUGH_UNLOCKED_MONEY];
/** `normal` among the wallet's priorities, the same that estimates use. */
const PRIORITY = 2;

const UNSIGNED = z.lazy(() => z.object({ unsigned_txset: z.string().check(z.minLength(1)) }));

/** `from`: only coins of these subaddresses, by minor index. Absent: of all. @throws InsufficientReserve, … */
export async function proposal(
	wallet: MoneroRpc,
	{ to, amount }: Pick<PaidTerms, 'to' | 'amount'>,
	from?: readonly number[],
): Promise<string> {
	const params = {
		destinations: [{ address: to, amount: Number(amount) }],
		account_index: ACCOUNT,
		...(from && { subaddr_indices: from }),
		priority: PRIORITY,
		do_not_relay: true,
	};
	try {
		return (await wallet.call(UNSIGNED, 'transfer', params)).unsigned_txset;
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (NOT_ENOUGH.includes(error.code))
			throw new InsufficientReserve(`Monero cannot pay ${amount} piconero now: ${error.message}`);
		if (error.code === TX_TOO_LARGE)
			throw new PaymentImpossible('too many small coins for one transaction: send the larger part of them to itself');
		if (OLD_RING.test(error.message))
			throw new SigningBlocked(
				"the view-only wallet remembers decoys of before a reorganisation: start it with `--shared-ringdb-dir ''`",
			);
		throw unavailable(error);
	}
}

/**
 * Makes exactly those coins frozen that are reserved: what an earlier signature spends, and of losing versions, or after
 * a crash, nothing more. @throws ChainUnavailable
 */
export async function freezeReserved(wallet: MoneroRpc, outputs: readonly Output[], spent: Spent): Promise<void> {
	for (const { key_image: keyImage, frozen } of outputs) {
		const isReserved = spent.has({ kind: 'key image', keyImage });
		if (isReserved !== frozen) await setFrozen(wallet, keyImage, isReserved);
	}
}

/** @throws ChainUnavailable */
export async function setFrozen(wallet: MoneroRpc, keyImage: string, frozen: boolean): Promise<void> {
	await ask(wallet, NOTHING, frozen ? 'freeze' : 'thaw', { key_image: keyImage });
}
