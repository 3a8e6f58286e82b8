/**
 * Keys and signatures for an EVM network; the signer Worker alone makes one. Sees the chain through its own nodes and
 * pays from the payout wallet. Stores nothing: which nonces are taken comes in as an argument, so one payout is one
 * nonce for ever, and the next one waits behind it.
 */

import { hex } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import type { Network } from '../../catalog/networks.ts';
import { type JsonRpc, RpcError } from '../json-rpc.ts';
import { type ChainSigner, InsufficientReserve, type Payment, PaymentImpossible, type SigningState } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { spendable } from './balances.ts';
import { transactionIdOf } from './broadcast.ts';
import { tipsOf } from './depth.ts';
import { gasPrices, l1Fee } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotKey, payInAddress } from './keys.ts';
import { ask, evmRpc, read, unavailable } from './node.ts';
import { type EvmParams, evmParams } from './params.ts';
import { HEIGHT, hexOf, QUANTITY } from './shapes.ts';

const SPENT_NONCE = /^nonce:(\d{1,13})$/;
/** A call that reverts, in the words of geth, Erigon, Nethermind, Reth, Nitro and anvil; EIP-1474 gives it code 3. */
const REVERTED = /revert|invalid opcode|out of ?gas|gas required exceeds|stack (under|over)flow|bad jump/i;
const REVERTED_CODE = 3;
const INSUFFICIENT = /insufficient (funds|balance)|insufficientfunds/i;
/** State may have changed when the transaction runs: a fifth more gas than the simulation took. */
const GAS_MARGIN = { numerator: 6n, denominator: 5n } as const;

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function evmSigner(network: Network, node: { readonly urls: readonly string[] }, seed: Uint8Array): ChainSigner {
	const params = evmParams(network);
	const rpc = evmRpc(params, node.urls);
	const hot = hotKey(seed);
	const account = privateKeyToAccount(`0x${hex.encode(hot.privateKey)}`);

	return {
		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => finalAmount(rpc, params.native, refs, isFinal),

		async sign(payment, state) {
			requirePayable(payment, params);
			const to = `0x${payment.to.slice(2).toLowerCase()}` as const;
			const available = await spendable(rpc, hot.address);
			if (available < payment.amount) throw shortOf(network, payment, available);
			const gas = await gasLimit(rpc, params, { from: hot.address, to, value: hexOf(payment.amount) });
			const { baseFee } = await tipsOf(rpc);
			const { maxFeePerGas, maxPriorityFeePerGas } = await gasPrices(rpc, params, baseFee);
			const fee = gas * maxFeePerGas + (await l1Fee(rpc, params));
			if (available < payment.amount + fee) throw shortOf(network, payment, available);
			const nonce = await nextNonce(rpc, hot.address, state);
			const raw = await account.signTransaction({
				...{ type: 'eip1559', chainId: params.chainId, nonce, to, value: payment.amount },
				...{ gas, maxFeePerGas, maxPriorityFeePerGas },
			});
			return { raw, txId: transactionIdOf(raw), spends: [`nonce:${nonce}`], fee };
		},
	};
}

function requirePayable(payment: Payment, params: EvmParams): void {
	if (payment.asset !== params.native)
		throw new PaymentImpossible(`${payment.asset} is not the coin of chain ${params.chainId}`);
	if (!isEvmAddress(payment.to)) throw new PaymentImpossible(`not an address: ${payment.to}`);
	if (payment.amount <= 0n) throw new PaymentImpossible(`nothing to pay: ${payment.amount}`);
}

/**
 * `available` is the lesser of the wallet's balance now and after the payouts that the node has pending. What is signed
 * and not broadcast yet the node does not know: then the network refuses the later one until the wallet is filled.
 */
const shortOf = (network: Network, { amount }: Payment, available: bigint): InsufficientReserve =>
	new InsufficientReserve(`${network.name} cannot pay ${amount} wei and the fee: the wallet holds ${available}`);

/** Simulates the payment; a recipient that does not take it now is not paid. */
async function gasLimit(
	rpc: JsonRpc,
	params: EvmParams,
	transfer: { readonly from: string; readonly to: string; readonly value: string },
): Promise<bigint> {
	const estimate = await simulate(rpc, transfer);
	if (estimate > params.maxGas)
		throw new PaymentImpossible(`paying ${transfer.to} takes ${estimate} gas, at most ${params.maxGas} are spent`);
	const limit = (estimate * GAS_MARGIN.numerator) / GAS_MARGIN.denominator;
	return limit > params.maxGas ? params.maxGas : limit;
}

async function simulate(rpc: JsonRpc, transfer: Readonly<Record<string, string>>): Promise<bigint> {
	try {
		return read(QUANTITY, 'eth_estimateGas', await rpc.call('eth_estimateGas', transfer));
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		const { code, message } = error;
		if (INSUFFICIENT.test(message)) throw new InsufficientReserve(message);
		if (code === REVERTED_CODE || REVERTED.test(message)) throw new PaymentImpossible(`${transfer['to']}: ${message}`);
		throw unavailable('eth_estimateGas', error);
	}
}

/** Above all that the chain has counted and all that is signed: a nonce is never given out twice. */
async function nextNonce(rpc: JsonRpc, address: string, { spent }: SigningState): Promise<number> {
	const onChain = await ask(rpc, HEIGHT, 'eth_getTransactionCount', address, 'latest');
	const signed = [...spent].flatMap((text) => SPENT_NONCE.exec(text)?.[1] ?? []).map((digits) => Number(digits) + 1);
	return signed.reduce((highest, next) => Math.max(highest, next), onChain);
}
