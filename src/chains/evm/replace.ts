/**
 * A fee bump: the same payment with the same nonce and a higher fee, so that at most one of the two confirms. For the
 * signer only. The earlier version is read from its own bytes: a transaction that pays anything else is refused.
 */
import { greater, lesser } from '../../money/units.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import type { Reservation, ReservationOf } from '../reservations.ts';
import type { SignedTransaction } from '../signing-port.ts';
import { headOf } from './depth.ts';
import type { Transfer } from './erc20.ts';
import { gasPrices, l1Fee } from './gas-prices.ts';
import type { EvmKey } from './keys.ts';
import { ask, type EvmRpc } from './node.ts';
import type { EvmParams } from './params.ts';
import { HEIGHT, QUANTITY } from './shapes.ts';
import { signTransfer } from './sign.ts';
import { type Terms, termsIn } from './transaction.ts';

/** Nodes accept a replacement whose two prices are each 10 % higher (geth); some ask for an eighth. */
const BUMP = { numerator: 9n, denominator: 8n } as const;

/** As `ChainSigner.replace`. @throws PaymentImpossible, InsufficientReserve, ChainUnavailable */
export async function replaceTransfer(
	{ rpc, key }: { readonly rpc: EvmRpc; readonly key: EvmKey },
	previous: SignedTransaction,
	transfer: Transfer,
	onlyIfRefused: boolean,
): Promise<SignedTransaction | null> {
	const { params } = rpc;
	const before = termsOf(previous, params, key, transfer);
	const { baseFee } = await headOf(rpc);
	if (onlyIfRefused && baseFee !== undefined && before.maxFeePerGas >= baseFee) return null;
	const prices = await gasPrices(rpc, baseFee);
	const tip = greater(bumped(before.maxPriorityFeePerGas), prices.maxPriorityFeePerGas);
	const wanted = greater(greater(bumped(before.maxFeePerGas), prices.maxFeePerGas), tip);
	// The ceiling may lower the price that we want, but not below what the network asks of a replacement.
	const maxFeePerGas = lesser(wanted, params.maxFeePerGas);
	if (maxFeePerGas < bumped(before.maxFeePerGas) || maxFeePerGas < tip)
		throw new PaymentImpossible('the fee ceiling is reached');
	const onChain = await ask(rpc, HEIGHT, 'eth_getTransactionCount', key.address, 'latest');
	if (onChain > before.nonce) throw new PaymentImpossible(`nonce ${before.nonce} is taken on the chain already`);
	const fee = before.gas * maxFeePerGas + (await l1Fee(rpc, transfer.data === '0x' ? 'native' : 'token'));
	// Not `spendable`: the pending balance already includes the transaction that is replaced.
	const held = await ask(rpc, QUANTITY, 'eth_getBalance', key.address, 'latest');
	if (held < transfer.value + fee)
		throw new InsufficientReserve(`the higher fee of ${fee} wei is more than the wallet holds: ${held} wei`);
	const terms = { nonce: before.nonce, gas: before.gas, maxFeePerGas, maxPriorityFeePerGas: tip };
	const spends = [...previous.spends, ...raiseOf(previous.spends, before.nonce, fee, params)];
	return { ...signTransfer(params, key, transfer, terms), spends, fee };
}

/** The part of the higher fee that no earlier version has reserved, so that no later payment counts on it. */
function raiseOf(
	reserved: readonly Reservation[],
	nonce: number,
	fee: bigint,
	{ native }: EvmParams,
): ReservationOf<'until nonce'>[] {
	const before = reserved.filter((each) => each.kind === 'until nonce').reduce((sum, each) => sum + each.fee, 0n);
	return fee > before ? [{ kind: 'until nonce', nonce, asset: native, amount: 0n, fee: fee - before }] : [];
}

/** An eighth more, plus 1 wei, because an eighth of zero is zero. */
const bumped = (price: bigint): bigint => (price * BUMP.numerator) / BUMP.denominator + 1n;

/** @throws PaymentImpossible unless `raw` is this transfer to the byte, signed by the key, with the nonce that it has reserved */
function termsOf({ raw, spends }: SignedTransaction, params: EvmParams, key: EvmKey, transfer: Transfer): Terms {
	const terms = termsIn(raw);
	if (!terms) throw new PaymentImpossible('the transaction to be replaced cannot be read');
	const [own, ...others] = spends.filter((each) => each.kind === 'nonce');
	const isReserved = others.length === 0 && own?.account === null && own.nonce === terms.nonce;
	if (!isReserved || signTransfer(params, key, transfer, terms).raw !== raw)
		throw new PaymentImpossible('the transaction to be replaced is not this payment');
	return terms;
}
