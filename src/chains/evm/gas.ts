/**
 * How much gas a transfer takes, by simulation on the node. The simulation also shows whether the transfer works at
 * all: one that reverts is a `PaymentImpossible`, one that lacks coins an `InsufficientReserve`.
 */
import { greater, lesser } from '../../money/units.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import type { Transfer } from './erc20.ts';
import { ask, type EvmRpc, read, unavailable } from './node.ts';
import { BYTES, hexOf, QUANTITY, TRUE } from './shapes.ts';

/** How geth, Erigon, Nethermind, Reth, Nitro and anvil report a call that reverts. EIP-1474 gives it code 3. */
const REVERTED = /revert|invalid opcode|out of ?gas|gas required exceeds|stack (under|over)flow|bad jump/i;
const REVERTED_CODE = 3;
const INSUFFICIENT = /insufficient (funds|balance)|insufficientfunds/i;
/** State may change before the transaction runs, so the limit is a fifth above what the simulation took. */
const GAS_MARGIN = { numerator: 6n, denominator: 5n } as const;
/** A payment may take at most the gas of this many plain transfers. We bear the cost of the gas beyond one. */
export const MOST_PLAIN_TRANSFERS = 2n;
/** The least gas of any transaction (Ethereum Yellow Paper, G_transaction). */
const LEAST_GAS = 21_000n;

export const isRevert = ({ code, message }: RpcError): boolean => code === REVERTED_CODE || REVERTED.test(message);

export const withGasMargin = (gas: bigint): bigint => (gas * GAS_MARGIN.numerator) / GAS_MARGIN.denominator;

export const callOf = (from: string, { to, value, data }: Transfer) => ({ from, to, value: hexOf(value), data });

/** Gas of a native transfer to a recipient without code. On Arbitrum it includes the cost of the data on Ethereum. */
export async function plainGas(rpc: JsonRpc, from: string): Promise<bigint> {
	return greater(LEAST_GAS, await ask(rpc, QUANTITY, 'eth_estimateGas', { from, to: from, value: hexOf(0n) }));
}

/**
 * Simulates the payment. A recipient that does not accept it now, or uses much more gas than a plain transfer, is not
 * paid.
 * @throws PaymentImpossible, InsufficientReserve, ChainUnavailable
 */
export async function gasLimit(rpc: EvmRpc, from: string, transfer: Transfer): Promise<bigint> {
	const { params } = rpc;
	const most =
		transfer.data === '0x'
			? lesser(params.maxGas, MOST_PLAIN_TRANSFERS * (await plainGas(rpc, from)))
			: params.maxTokenGas;
	const estimate = read(QUANTITY, 'eth_estimateGas', await simulate(rpc, 'eth_estimateGas', [callOf(from, transfer)]));
	if (estimate > most)
		throw new PaymentImpossible(`paying ${transfer.to} takes ${estimate} gas, at most ${most} are spent`);
	return lesser(withGasMargin(estimate), most);
}

/**
 * Requires that the token accepts the transfer. Some tokens return nothing where the standard asks for `true` (USDT on
 * Ethereum). The caller has checked that the contract exists and is the right one. @throws PaymentImpossible
 */
export async function requireTokenTransfer(rpc: JsonRpc, from: string, transfer: Transfer): Promise<void> {
	const answer = read(BYTES, 'eth_call', await simulate(rpc, 'eth_call', [callOf(from, transfer), 'latest']));
	if (answer !== '0x' && !TRUE.test(answer))
		throw new PaymentImpossible(`the token ${transfer.to} refuses the transfer: it answers ${answer.slice(0, 66)}`);
}

async function simulate(rpc: JsonRpc, method: string, params: readonly unknown[]): Promise<unknown> {
	try {
		return await rpc.call(method, ...params);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (INSUFFICIENT.test(error.message) && !isRevert(error)) throw new InsufficientReserve(error.message);
		if (isRevert(error)) throw new PaymentImpossible(`the transfer reverts: ${error.message}`);
		throw unavailable(method, error);
	}
}
