/**
 * Native balances of many addresses at one block, in one `eth_call` for up to 500 of them. The call creates no
 * contract that stays: it runs a program of 40 bytes as if it were a constructor, and what a constructor returns is
 * the call's answer. So it needs no Multicall3 on the chain, and asks 20 bytes per address where `aggregate3` needs
 * 224: 500 of those in deployless form would be longer than EIP-3860 lets initialisation code be.
 */
import { hex } from '@scure/base';
import type { Call, JsonRpc } from '../json-rpc.ts';
import { ChainUnavailable } from '../port.ts';
import { askEach, askIfKept } from './node.ts';
import { BYTES, hexOf, QUANTITY } from './shapes.ts';

/** 32 bytes of answer each, which must fit the 24 576 bytes of a contract (EIP-170). */
const ADDRESSES_PER_CALL = 500;
const WORD_DIGITS = 64;

/**
 * The addresses follow the program, 20 bytes each. Stack on the right, top first; `i` reads, `o` writes.
 *
 *   00 PUSH1 28, PUSH1 00                                              | o i
 *   04 JUMPDEST, CODESIZE, DUP3, LT, ISZERO, PUSH1 24, JUMPI           | o i      leave when i reaches the end
 *   0c PUSH1 20, DUP3, DUP3, CODECOPY                                  | o i      memory[o] = code[i]
 *   11 DUP1, MLOAD, PUSH1 60, SHR, BALANCE, DUP2, MSTORE               | o i      memory[o] = balance(memory[o] >> 96)
 *   19 PUSH1 20, ADD, SWAP1, PUSH1 14, ADD, SWAP1, PUSH1 04, JUMP      | o+32 i+20
 *   24 JUMPDEST, PUSH1 00, RETURN                                      |          memory[0 … o]
 */
const PROGRAM = hex.encode(
	Uint8Array.from([
		...[0x60, 0x28, 0x60, 0x00],
		...[0x5b, 0x38, 0x82, 0x10, 0x15, 0x60, 0x24, 0x57],
		...[0x60, 0x20, 0x82, 0x82, 0x39],
		...[0x80, 0x51, 0x60, 0x60, 0x1c, 0x31, 0x81, 0x52],
		...[0x60, 0x20, 0x01, 0x90, 0x60, 0x14, 0x01, 0x90, 0x60, 0x04, 0x56],
		...[0x5b, 0x60, 0x00, 0xf3],
	]),
);

/** In order of the addresses. @throws ChainUnavailable */
export async function balancesAt(rpc: JsonRpc, addresses: readonly string[], height: number): Promise<bigint[]> {
	return balancesIn(await askEach(rpc, BYTES, callsFor(addresses, height)), addresses.length);
}

/** As `balancesAt`; null where the node has pruned the state of that block. @throws ChainUnavailable */
export async function balancesIfKept(
	rpc: JsonRpc,
	addresses: readonly string[],
	height: number,
): Promise<bigint[] | null> {
	const answers = await askIfKept(rpc, BYTES, callsFor(addresses, height));
	return answers && balancesIn(answers, addresses.length);
}

/** The smaller of what the wallet holds and what it will hold once its own pending payouts are through. */
export async function spendable(rpc: JsonRpc, address: string): Promise<bigint> {
	const calls = ['latest', 'pending'].map((tag) => ({ method: 'eth_getBalance', params: [address, tag] }));
	const [latest = 0n, pending = 0n] = await askEach(rpc, QUANTITY, calls);
	return lesser(pending, latest);
}

/** `Math.min` takes no bigint. */
export function lesser(one: bigint, other: bigint): bigint {
	if (one < other) return one;
	return other;
}

function callsFor(addresses: readonly string[], height: number): Call[] {
	const calls: Call[] = [];
	for (let start = 0; start < addresses.length; start += ADDRESSES_PER_CALL) {
		const packed = addresses.slice(start, start + ADDRESSES_PER_CALL).map((address) => address.slice(2));
		calls.push({ method: 'eth_call', params: [{ data: `0x${PROGRAM}${packed.join('')}` }, hexOf(height)] });
	}
	return calls;
}

function balancesIn(answers: readonly string[], count: number): bigint[] {
	const digits = answers.map((answer) => answer.slice(2)).join('');
	if (digits.length !== count * WORD_DIGITS) throw new ChainUnavailable('the node answered other than the balances');
	return Array.from({ length: count }, (_, at) =>
		BigInt(`0x${digits.slice(at * WORD_DIGITS, (at + 1) * WORD_DIGITS)}`),
	);
}
