/**
 * Balances of many addresses at one block, of the native coin or of a token. One `eth_call` covers up to 500 addresses.
 * The call deploys nothing: it runs a short program as if it were a constructor, and the call's answer is what the
 * constructor returns. So the chain needs no Multicall3. An address takes 20 bytes of input where `aggregate3` takes
 * 224; as deployless init code, 500 of those would exceed the limit of EIP-3860.
 */
import { lesser } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import { inParts } from '../rpc/each-of.ts';
import type { Call, JsonRpc } from '../rpc/json-rpc.ts';
import { askEach, askIfKept } from './node.ts';
import { BYTES, hexOf, QUANTITY } from './shapes.ts';

/** The answer has 32 bytes per address, and must fit into the 24 576 bytes of a contract (EIP-170). */
const ADDRESSES_PER_CALL = 500;
const WORD_DIGITS = 64;
/** Stands for the balance of a token that did not answer. */
const UNREAD = 2n ** 256n - 1n;

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
const NATIVE_PROGRAM = '602860005b388210156024576020828239805160601c31815260200190601401906004565b6000f3';

/**
 * The same with a token's `balanceOf(address)`. If one call fails or returns less than a word, the whole program fails.
 * memory[1c … 40) holds the call data: the selector, and the address as a word.
 *
 *   00 PUSH4 70a08231, PUSH1 00, MSTORE, PUSH1 60, PUSH1 40            | o i
 *   0c JUMPDEST, CODESIZE, DUP3, LT, ISZERO, PUSH1 58, JUMPI           | o i      leave when i reaches the end
 *   14 PUSH1 20, DUP3, DUP3, CODECOPY, DUP1, MLOAD, PUSH1 60, SHR      | a o i    a = code[i] >> 96
 *   1e PUSH1 20, MSTORE, PUSH1 20, DUP2, PUSH1 24, PUSH1 1c            | 1c 24 o 20 o i
 *   28 PUSH20 token, GAS, STATICCALL                                   | ok o i   memory[o] = balanceOf(a)
 *   3f PUSH1 1f, RETURNDATASIZE, GT, AND, PUSH1 4c, JUMPI              | o i
 *   47 PUSH1 00, PUSH1 00, REVERT
 *   4c JUMPDEST, PUSH1 20, ADD, SWAP1, PUSH1 14, ADD, SWAP1, PUSH1 0c, JUMP | o+32 i+20
 *   58 JUMPDEST, PUSH1 40, SWAP1, SUB, PUSH1 40, RETURN                |          memory[40 … o)
 */
const tokenProgram = (contract: string): string =>
	`6370a08231600052606060405b388210156058576020828239805160601c6020526020816024601c73${contract.slice(2)}5afa601f3d1116604c5760006000fd5b6020019060140190600c565b604090036040f3`;

/**
 * The balances of one address: of the native coin, and of each token whose contract follows the program, 20 bytes each. A token
 * that does not answer within 500 000 gas, or with less than a word, gets the highest number there is.
 *
 *   00 PUSH4 70a08231, PUSH1 00, MSTORE                                |          memory[1c … 40): the call data
 *   08 PUSH20 address, DUP1, PUSH1 20, MSTORE, BALANCE, PUSH1 40, MSTORE
 *   25 PUSH1 6a, PUSH1 60                                              | o i      `i` reads, `o` writes
 *   29 JUMPDEST, CODESIZE, DUP3, LT, ISZERO, PUSH1 62, JUMPI           | o i      leave when i reaches the end
 *   31 PUSH1 20, DUP3, DUP3, CODECOPY, DUP1, MLOAD, PUSH1 60, SHR      | t o i    t = code[i] >> 96
 *   3b PUSH1 20, DUP3, PUSH1 24, PUSH1 1c, DUP5, PUSH3 07a120, STATICCALL | ok t o i   memory[o] = t.balanceOf(address)
 *   48 PUSH1 1f, RETURNDATASIZE, GT, AND, PUSH1 01, SWAP1, SUB         | m t o i  m: no bits where it worked, else all
 *   51 DUP3, MLOAD, OR, DUP3, MSTORE, POP                              | o i      memory[o] |= m
 *   57 PUSH1 20, ADD, SWAP1, PUSH1 14, ADD, SWAP1, PUSH1 29, JUMP      | o+32 i+20
 *   62 JUMPDEST, PUSH1 40, SWAP1, SUB, PUSH1 40, RETURN                |          memory[40 … o)
 */
const holderProgram = (address: string): string =>
	`6370a0823160005273${address.slice(2)}8060205231604052606a60605b388210156062576020828239805160601c6020826024601c846207a120fa601f3d11166001900382511782525060200190601401906029565b604090036040f3`;

/** In order of the addresses. `contract`: null for the native coin. @throws ChainUnavailable */
export async function balancesAt(
	rpc: JsonRpc,
	contract: string | null,
	addresses: readonly string[],
	height: number,
): Promise<bigint[]> {
	return balancesIn(await askEach(rpc, BYTES, callsFor(contract, addresses, hexOf(height))), addresses.length);
}

/**
 * As `balancesAt` for the native coin. Null where the node has pruned the state of that block. @throws ChainUnavailable
 */
export async function balancesIfKept(
	rpc: JsonRpc,
	addresses: readonly string[],
	height: number,
): Promise<bigint[] | null> {
	const answers = await askIfKept(rpc, BYTES, callsFor(null, addresses, hexOf(height)));
	return answers && balancesIn(answers, addresses.length);
}

/**
 * The balance now or after the address's own pending transactions, whichever is smaller. `reserved`: base units that
 * signed transactions may still take, broadcast or not.
 */
export async function spendable(
	rpc: JsonRpc,
	contract: string | null,
	address: string,
	reserved = 0n,
): Promise<bigint> {
	if (contract === null) {
		const calls = ['latest', 'pending'].map((tag) => ({ method: 'eth_getBalance', params: [address, tag] }));
		const [latest = 0n, pending = 0n] = await askEach(rpc, QUANTITY, calls);
		return lesser(pending, latest - reserved);
	}
	const calls = ['latest', 'pending'].flatMap((tag) => callsFor(contract, [address], tag));
	const [latest = 0n, pending = 0n] = balancesIn(await askEach(rpc, BYTES, calls), calls.length);
	return lesser(pending, latest - reserved);
}

/**
 * The same of the coin and of each token's contract, in two calls for all. Null for a token that does not answer.
 * @throws ChainUnavailable
 */
export async function spendableOfEach(
	rpc: JsonRpc,
	address: string,
	contracts: readonly string[],
): Promise<(bigint | null)[]> {
	const data = `0x${holderProgram(address)}${contracts.map((contract) => contract.slice(2)).join('')}`;
	const calls = ['latest', 'pending'].map((tag) => ({ method: 'eth_call', params: [{ data }, tag] }));
	const held = (await askEach(rpc, BYTES, calls)).map((answer) => balancesIn([answer], 1 + contracts.length));
	const [latest = [], pending = []] = held;
	return latest.map((now, at) => {
		const later = pending[at] ?? UNREAD;
		return now === UNREAD || later === UNREAD ? null : lesser(now, later);
	});
}

/** `block`: a height in hex, or a tag. */
function callsFor(contract: string | null, addresses: readonly string[], block: string): Call[] {
	const program = contract === null ? NATIVE_PROGRAM : tokenProgram(contract);
	return inParts(addresses, ADDRESSES_PER_CALL).map((part) => {
		const packed = part.map((address) => address.slice(2)).join('');
		return { method: 'eth_call', params: [{ data: `0x${program}${packed}` }, block] };
	});
}

function balancesIn(answers: readonly string[], count: number): bigint[] {
	const digits = answers.map((answer) => answer.slice(2)).join('');
	if (digits.length !== count * WORD_DIGITS) throw new ChainUnavailable('the node did not answer with the balances');
	return Array.from({ length: count }, (_, at) =>
		BigInt(`0x${digits.slice(at * WORD_DIGITS, (at + 1) * WORD_DIGITS)}`),
	);
}
