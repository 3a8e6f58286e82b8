/**
 * Transactions as bytes: the legacy message, which every wallet and node reads, with the signatures in front of it.
 * This is our own code because `@solana/kit` resolves to its Node build in a Worker and asks for the file system. The
 * tests compare our bytes with that library's. Pure.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { SolanaKey } from './keys.ts';

export interface AccountUse {
	readonly address: string;
	readonly signer: boolean;
	readonly writable: boolean;
}

export interface Instruction {
	readonly program: string;
	readonly accounts: readonly AccountUse[];
	readonly data: Uint8Array;
}

export interface Message {
	readonly bytes: Uint8Array;
	/** In the order of their signatures; the fee payer is the first. */
	readonly signers: readonly string[];
}

export interface SignedWire {
	readonly wire: Uint8Array;
	/** The first signature, which is the transaction's id on Solana. */
	readonly txId: string;
}

/** Largest transaction that the network carries, bytes. */
export const MAX_WIRE_BYTES = 1_232;
const SIGNATURE_BYTES = 64;
const LENGTH_BITS = 7;

export function compileMessage(feePayer: string, blockhash: string, instructions: readonly Instruction[]): Message {
	const accounts = orderedAccounts(feePayer, instructions);
	const indexOf = new Map(accounts.map(({ address }, at) => [address, at]));
	const places = (addresses: readonly string[]): number[] => addresses.map((address) => indexOf.get(address) ?? 0);
	const signers = accounts.filter(({ signer }) => signer);
	const header = [
		signers.length,
		signers.filter(({ writable }) => !writable).length,
		accounts.filter(({ signer, writable }) => !signer && !writable).length,
	];
	const encoded = instructions.flatMap(({ program, accounts: used, data }) => [
		...places([program]),
		...lengthPrefixed(places(used.map(({ address }) => address))),
		...lengthPrefixed([...data]),
	]);
	const bytes = Uint8Array.from([
		...header,
		...compactLength(accounts.length),
		...accounts.flatMap(({ address }) => [...base58.decode(address)]),
		...base58.decode(blockhash),
		...compactLength(instructions.length),
		...encoded,
	]);
	return { bytes, signers: signers.map(({ address }) => address) };
}

/**
 * `shared`: the signature of the fee payer's, where no key here makes it. @throws TypeError when a key is missing or the
 * transaction is too long: a bug of the caller.
 */
export function signMessage({ bytes, signers }: Message, keys: readonly SolanaKey[], shared?: Uint8Array): SignedWire {
	const signatures = signers.map((signer, at) => {
		if (shared && at === 0) return shared;
		const key = keys.find(({ address }) => address === signer);
		if (!key) throw new TypeError(`no key of ${signer}`);
		return ed25519.sign(bytes, key.privateKey);
	});
	return { wire: wireOf(signatures, bytes), txId: base58.encode(signatures[0] ?? new Uint8Array()) };
}

/** The transaction with zeros as signatures: a node can simulate it, and nobody can send it. */
export const unsignedWire = ({ bytes, signers }: Message): Uint8Array =>
	wireOf(
		signers.map(() => new Uint8Array(SIGNATURE_BYTES)),
		bytes,
	);

/**
 * Each account once, with all its rights. The fee payer comes first, signers come before others, and writable accounts
 * before read-only ones.
 */
function orderedAccounts(feePayer: string, instructions: readonly Instruction[]): AccountUse[] {
	const used = new Map<string, AccountUse>([[feePayer, { address: feePayer, signer: true, writable: true }]]);
	const uses = instructions.flatMap(({ accounts, program }) => [
		...accounts,
		{ address: program, signer: false, writable: false },
	]);
	for (const { address, signer, writable } of uses) {
		const before = used.get(address);
		const rights = { signer: signer || before?.signer === true, writable: writable || before?.writable === true };
		used.set(address, { address, ...rights });
	}
	const rank = ({ signer, writable }: AccountUse): number => (signer ? 0 : 2) + (writable ? 0 : 1);
	return [...used.values()].toSorted((one, other) => rank(one) - rank(other));
}

function wireOf(signatures: readonly Uint8Array[], message: Uint8Array): Uint8Array {
	const flat = signatures.flatMap((signature) => [...signature]);
	const wire = Uint8Array.from([...compactLength(signatures.length), ...flat, ...message]);
	if (wire.length > MAX_WIRE_BYTES) throw new TypeError(`a transaction of ${wire.length} bytes`);
	return wire;
}

const lengthPrefixed = (values: readonly number[]): number[] => [...compactLength(values.length), ...values];

/** Solana's "compact-u16": seven bits a byte, the lowest first. */
function compactLength(length: number): number[] {
	const low = length & 0x7f;
	return length === low ? [low] : [low | 0x80, ...compactLength(length >> LENGTH_BITS)];
}
