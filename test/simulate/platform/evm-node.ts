/** An Ethereum node of the simulated world, as far as the service asks one: JSON-RPC over its chain. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import type { TransactionSerializableEIP1559 } from 'viem';
import { parseTransaction, serializeTransaction } from 'viem/utils';
import { EvmChain, GAS, GWEI, hashOf } from './evm-chain.ts';

export const EVM_NODE = 'http://127.0.0.1:8545';
const CHAIN_ID = 31_337;
const FINALIZED_BLOCKS = 64;
/** Bytes of the program by which the service reads balances; the addresses follow it. */
const PROGRAM_BYTES = 40;
/** The program that reads what one address holds of the coin and of tokens: the address, and after so many digits contracts. */
const HOLDER_PROGRAM = /^0x6370a0823160005273(.{40})/;
const HOLDER_DIGITS = 212;

class Refused extends Error {}

export class EvmNode extends EvmChain {
	/** Heights of the blocks that somebody was shown, empty ones too. */
	readonly #shown = new Map<string, number>();

	/** The answer to a request's body. */
	answer(body: string): string {
		this.advance();
		const asked = JSON.parse(body) as Asked | Asked[];
		return JSON.stringify(Array.isArray(asked) ? asked.map((one) => this.#respond(one)) : this.#respond(asked));
	}

	#respond({ id, method, params }: Asked): object {
		try {
			const answer = this.#answers[method];
			if (!answer) throw new Refused(`the method ${method} does not exist`);
			return { jsonrpc: '2.0', id, result: answer(params) };
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			return { jsonrpc: '2.0', id, error: { code: -32_000, message: error.message } };
		}
	}

	readonly #answers: Readonly<Record<string, (params: Params) => unknown>> = {
		eth_chainId: () => quantity(CHAIN_ID),
		eth_getCode: () => '0x',
		eth_estimateGas: () => quantity(GAS),
		eth_maxPriorityFeePerGas: () => quantity(GWEI),
		eth_getBlockByNumber: ([at, isFull]) => this.#block(this.#heightAt(String(at)), isFull === true),
		eth_getBlockByHash: ([hash]) => {
			const found = [...this.mined.values()].find(({ height }) => blockHash(height) === hash);
			const height = found?.height ?? this.#shown.get(String(hash));
			return height === undefined ? null : this.#block(height, false);
		},
		eth_getBalance: ([address, at]) => quantity(this.#balance(String(address).toLowerCase(), String(at))),
		eth_getTransactionCount: ([address, at]) => quantity(this.#nonce(String(address).toLowerCase(), String(at))),
		eth_call: ([call, at]) => this.#balancesOf(call as { readonly to?: string; readonly data: string }, String(at)),
		eth_getTransactionByHash: ([hash]) => this.#transaction(String(hash)),
		eth_getTransactionReceipt: ([hash]) => this.#receipt(String(hash)),
		eth_sendRawTransaction: ([raw]) => this.#take(String(raw)),
	};

	#heightAt(tag: string): number {
		if (tag === 'latest' || tag === 'pending') return this.height;
		return tag === 'finalized' ? this.height - FINALIZED_BLOCKS : Number(tag);
	}

	#block(height: number, isFull: boolean): object | null {
		if (height > this.height) return null;
		this.#shown.set(blockHash(height), height);
		const inside = [...this.mined.values()].filter((one) => one.height === height);
		const transactions = inside.map((one) => (isFull ? this.#transaction(one.hash) : one.hash));
		const fee = { baseFeePerGas: quantity(this.baseFee) };
		return { number: quantity(height), hash: blockHash(height), ...fee, transactions };
	}

	#balance(address: string, tag: string): bigint {
		const height = this.#heightAt(tag);
		const points = this.balances.get(address) ?? [];
		const held = points.findLast(([at]) => at <= height)?.[1] ?? 0n;
		if (tag !== 'pending') return held;
		const leaving = this.mempool.filter(({ from }) => from === address);
		return leaving.reduce((left, { value, maxFee }) => left - value - GAS * maxFee, held);
	}

	#nonce(address: string, tag: string): number {
		const next = this.nonces.get(address) ?? 0;
		return tag === 'pending' ? next + this.mempool.filter(({ from }) => from === address).length : next;
	}

	#balancesOf({ to, data }: { readonly to?: string; readonly data: string }, tag: string): string {
		if (to) throw new Refused('execution reverted');
		const [, holder] = HOLDER_PROGRAM.exec(data) ?? [];
		if (holder !== undefined) {
			const tokens = (data.length - 2 - HOLDER_DIGITS) / 40;
			return `0x${word(this.#balance(`0x${holder.toLowerCase()}`, tag))}${'f'.repeat(64 * tokens)}`;
		}
		const packed = data.slice(2 + 2 * PROGRAM_BYTES);
		const addresses = packed.match(/.{40}/g) ?? [];
		return `0x${addresses.map((one) => word(this.#balance(`0x${one.toLowerCase()}`, tag))).join('')}`;
	}

	#transaction(hash: string): object | null {
		const mined = this.mined.get(hash);
		const found = mined ?? this.mempool.find((one) => one.hash === hash);
		if (!found) return null;
		const place = mined ? { blockNumber: quantity(mined.height), blockHash: blockHash(mined.height) } : {};
		return { hash, from: found.from, to: found.to, value: quantity(found.value), ...place };
	}

	#receipt(hash: string): object | null {
		const mined = this.mined.get(hash);
		if (!mined) return null;
		const place = { blockNumber: quantity(mined.height), blockHash: blockHash(mined.height) };
		const cost = { gasUsed: quantity(GAS), effectiveGasPrice: quantity(mined.price) };
		return { transactionHash: hash, ...place, status: '0x1', ...cost, logs: [] };
	}

	#take(raw: string): string {
		if (this.takesNothing) throw new Refused('the node is busy');
		const hash = `0x${hex.encode(keccak_256(hex.decode(raw.slice(2))))}`;
		if (this.mined.has(hash) || this.mempool.some((one) => one.hash === hash)) throw new Refused('already known');
		const sent = parseTransaction(`0x02${raw.slice(4)}`);
		const from = senderOf(sent);
		const { nonce = 0, value = 0n, maxFeePerGas: maxFee = 0n, maxPriorityFeePerGas: tip = 0n } = sent;
		const next = this.nonces.get(from) ?? 0;
		if (nonce < next) throw new Refused('nonce too low');
		if (this.#balance(from, 'latest') < value + GAS * maxFee)
			throw new Refused('insufficient funds for gas * price + value');
		// As anvil and Arbitrum's sequencer do; geth keeps it.
		if (maxFee < this.baseFee) throw new Refused('max fee per gas less than block base fee');
		const same = this.mempool.find((one) => one.from === from && one.nonce === nonce);
		if (same && (maxFee * 10n < same.maxFee * 11n || tip * 10n < same.tip * 11n))
			throw new Refused('replacement transaction underpriced');
		const entered = { hash, from, to: String(sent.to).toLowerCase(), value, nonce, maxFee, tip };
		this.mempool = this.mempool.filter((one) => one !== same);
		this.mempool.push({ ...entered, enteredAt: this.now(), isForeign: false });
		return hash;
	}
}

type Params = readonly unknown[];
interface Asked {
	readonly id: unknown;
	readonly method: string;
	readonly params: Params;
}

const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const blockHash = (height: number): string => hashOf(`block ${height}`);

/** Whose signature it is. */
function senderOf({ r, s, yParity, v: _, ...unsigned }: TransactionSerializableEIP1559 & Signed): string {
	const digest = keccak_256(hex.decode(serializeTransaction({ ...unsigned, type: 'eip1559' }).slice(2)));
	const signature = new secp256k1.Signature(BigInt(r ?? 0), BigInt(s ?? 0), yParity ?? 0);
	const point = signature.recoverPublicKey(digest).toBytes(false).subarray(1);
	return `0x${hex.encode(keccak_256(point).subarray(-20))}`;
}

interface Signed {
	readonly r?: string | undefined;
	readonly s?: string | undefined;
	readonly yParity?: number | undefined;
	readonly v?: bigint | undefined;
}
