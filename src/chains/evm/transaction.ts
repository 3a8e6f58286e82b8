/** Transactions as bytes: a 2, then the RLP list of the fields, in the order of EIP-1559. Pure, and without any key. */
import { decode, encode, type Input } from '@ethereumjs/rlp';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import type { Transfer } from './erc20.ts';

const EIP_1559 = 0x02;
const RAW = /^0x(?:[\da-f]{2})+$/;
/** Those of `fieldsOf`, then the signature's parity, r and s. */
const SIGNED_FIELDS = 12;

/** The numbers that the maker of a transaction chooses. */
export interface Terms {
	readonly nonce: number;
	readonly gas: bigint;
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
}

/** All but the signature. The last is the empty list of what is read. */
export const fieldsOf = (chainId: number, { to, value, data }: Transfer, terms: Terms): Input[] => [
	BigInt(chainId),
	BigInt(terms.nonce),
	terms.maxPriorityFeePerGas,
	terms.maxFeePerGas,
	terms.gas,
	hex.decode(to.slice(2)),
	value,
	hex.decode(data.slice(2)),
	[],
];

export const transactionBytes = (fields: Input[]): Uint8Array => concatBytes(Uint8Array.of(EIP_1559), encode(fields));

/** The numbers that its maker chose; null for any text that is no signed transaction of EIP-1559. */
export function termsIn(raw: string): Terms | null {
	const [, nonce, maxPriorityFeePerGas, maxFeePerGas, gas] = signedFields(raw).map(numberIn);
	if (nonce == null || maxPriorityFeePerGas == null || maxFeePerGas == null || gas == null) return null;
	if (nonce > Number.MAX_SAFE_INTEGER) return null;
	return { nonce: Number(nonce), gas, maxFeePerGas, maxPriorityFeePerGas };
}

/** None where they cannot be read. */
function signedFields(raw: string): readonly unknown[] {
	if (!RAW.test(raw)) return [];
	const bytes = hex.decode(raw.slice(2));
	try {
		const fields = bytes[0] === EIP_1559 ? decode(bytes.subarray(1)) : [];
		return Array.isArray(fields) && fields.length === SIGNED_FIELDS ? fields : [];
	} catch {
		return [];
	}
}

/** Null for a list, and for bytes with leading zeros, which no number has. */
const numberIn = (field: unknown): bigint | null =>
	field instanceof Uint8Array && field[0] !== 0 ? BigInt(`0x0${hex.encode(field)}`) : null;
