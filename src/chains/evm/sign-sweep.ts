/**
 * Sweeps a pay-in address into the hot wallet, and nowhere else. For the signer only. A native sweep moves the balance
 * minus its own cost, and leaves what is not on record: on a node that has pruned its states only the balance shows that
 * deposit. A token sweep moves all of the token; the address pays the gas from its native balance.
 */
import { lesser } from '../../money/units.ts';
import { InsufficientReserve } from '../errors.ts';
import type { SignedTransaction, SigningState, Sweep } from '../signing-port.ts';
import { spendable } from './balances.ts';
import { contractOf, type Transfer, transferOf } from './erc20.ts';
import { gasLimit, requireTokenTransfer } from './gas.ts';
import { l1Fee } from './gas-prices.ts';
import type { EvmKey } from './keys.ts';
import { type Counters, nextNonce } from './nonces.ts';
import { signTransfer } from './sign.ts';
import { cautious, coinTransferNow, nativeSweepCost, pricesNow, type SweepCost } from './sweep-cost.ts';

export interface Sweeping extends Counters {
	readonly hotAddress: string;
}

/** @throws InsufficientReserve, PaymentImpossible, SigningBlocked, ChainUnavailable */
export async function signSweep(
	sweeping: Sweeping,
	key: EvmKey,
	{ asset, atMost }: Pick<Sweep, 'asset' | 'atMost'>,
	state: SigningState,
): Promise<SignedTransaction & { readonly amount: bigint }> {
	const contract = contractOf(sweeping.rpc.params, asset);
	return signMove(sweeping, key, { contract, to: sweeping.hotAddress, atMost }, state);
}

interface Move {
	readonly contract: string | null;
	readonly to: string;
	readonly atMost?: bigint | undefined;
}

/** All of a token goes to `to`; the coin, up to `atMost`, to the hot wallet. */
export async function signMove(
	sweeping: Sweeping,
	key: EvmKey,
	{ contract, to, atMost }: Move,
	state: SigningState,
): Promise<SignedTransaction & { readonly amount: bigint }> {
	const { rpc } = sweeping;
	const native = await spendable(rpc, null, key.address);
	const { amount, cost } =
		contract === null
			? await nativeSweep(sweeping, key, lesser(native, atMost ?? native))
			: await tokenSweep({ ...sweeping, hotAddress: to }, key, contract, native);
	const nonce = await nextNonce(sweeping, key.address, key.address, state);
	const signed = signTransfer(rpc.params, key, transferOf(contract, to, amount), { ...cost, nonce });
	return { ...signed, spends: [{ kind: 'nonce', account: key.address, nonce }], fee: cost.fee, amount };
}

interface Planned {
	readonly amount: bigint;
	readonly cost: SweepCost;
}

/** `taken`: what leaves the address, the fee included. */
async function nativeSweep({ rpc, hotAddress }: Sweeping, key: EvmKey, taken: bigint): Promise<Planned> {
	const cost = nativeSweepCost(rpc.params, await coinTransferNow(rpc, hotAddress));
	if (taken <= cost.fee)
		throw new InsufficientReserve(`${key.address} can give ${taken} wei, and its sweep alone costs ${cost.fee}`);
	return { amount: taken - cost.fee, cost };
}

/**
 * Offers as much per gas as the address can pay, up to the maximum for rising prices. Fails while the address cannot
 * pay the current price.
 */
async function tokenSweep(
	{ rpc, hotAddress }: Sweeping,
	key: EvmKey,
	contract: string,
	native: bigint,
): Promise<Planned> {
	const amount = await spendable(rpc, contract, key.address);
	if (amount === 0n) throw new InsufficientReserve(`${key.address} holds nothing of ${contract}`);
	const transfer: Transfer = transferOf(contract, hotAddress, amount);
	await requireTokenTransfer(rpc, key.address, transfer);
	const gas = await gasLimit(rpc, key.address, transfer);
	const prices = await pricesNow(rpc);
	const l1 = cautious(await l1Fee(rpc, 'token'));
	const affordable = native > l1 ? (native - l1) / gas : 0n;
	const maxFeePerGas = lesser(affordable, prices.maxFeePerGas);
	if (maxFeePerGas < prices.likelyPerGas || maxFeePerGas < rpc.params.minFeePerGas)
		throw new InsufficientReserve(
			`${key.address} holds ${native} wei, and its sweep costs ${gas * prices.likelyPerGas + l1}`,
		);
	const { maxPriorityFeePerGas } = prices;
	return { amount, cost: { gas, maxFeePerGas, maxPriorityFeePerGas, fee: gas * maxFeePerGas + l1 } };
}
