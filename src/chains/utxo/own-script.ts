/**
 * The four kinds of output that our own addresses stand for: to a key, or to a script of two keys (where two signers must
 * sign), each with and without segwit. An output commits to the hash of its lock, which is that key or that script, and
 * the input that spends it shows the lock. Pure.
 */
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, createBase58check } from '@scure/base';
import { scriptOf } from './address.ts';
import { hashIn, keyHashScript, scriptHashScript, witnessScript } from './output-script.ts';
import { sharedParams, type UtxoParams } from './params.ts';

export type OwnScript = UtxoParams['ownScript'];

interface Kind {
	/** The lock's. */
	readonly hash: (lock: Uint8Array) => Uint8Array;
	readonly make: (hash: Uint8Array) => Uint8Array;
	/** Where in the output's script the hash stands, and how many bytes it has. */
	readonly at: number;
	readonly length: number;
}

/** BIP141's HASH160. */
const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes));

const KINDS: Readonly<Record<OwnScript, Kind>> = {
	p2pkh: { hash: hash160, make: keyHashScript, at: 3, length: 20 },
	p2sh: { hash: hash160, make: scriptHashScript, at: 2, length: 20 },
	p2wpkh: { hash: hash160, make: witnessScript, at: 2, length: 20 },
	p2wsh: { hash: sha256, make: witnessScript, at: 2, length: 32 },
};

export const isSegwit = (kind: OwnScript): boolean => kind === 'p2wpkh' || kind === 'p2wsh';

/** By their hash, as `hashInOwn` finds it. */
export const lockHash = (lock: Uint8Array, kind: OwnScript): Uint8Array => KINDS[kind].hash(lock);

/** The hash in an output's script of this kind; null for any other script. */
export const hashInOwn = (script: Uint8Array, kind: OwnScript): Uint8Array | null => hashIn(script, KINDS[kind]);

/** Which of the four kinds a script is; null for any other. */
export const kindOfScript = (script: Uint8Array): OwnScript | null =>
	(Object.keys(KINDS) as OwnScript[]).find((kind) => hashInOwn(script, kind) !== null) ?? null;

/** Is this an address of the wallet whose outputs two keys spend? An address that a payer names may look like one. */
export function isShared(address: string, params: UtxoParams): boolean {
	const script = scriptOf(address, params);
	return script !== null && kindOfScript(script) === sharedParams(params).ownScript;
}

const base58check = createBase58check(sha256);

/** Our own address and its script, for a compressed public key or a script of two. */
export function ownAddress(lock: Uint8Array, params: UtxoParams): { address: string; script: Uint8Array } {
	const hash = lockHash(lock, params.ownScript);
	return { address: hashAddress(hash, params), script: KINDS[params.ownScript].make(hash) };
}

/** The address that this script pays, if it is of the kind that our own addresses use; null for any other kind. */
export function ownAddressOf(script: Uint8Array, params: UtxoParams): string | null {
	const hash = hashInOwn(script, params.ownScript);
	return hash && hashAddress(hash, params);
}

function hashAddress(hash: Uint8Array, { ownScript, hrp, p2pkh, p2sh }: UtxoParams): string {
	if (isSegwit(ownScript)) {
		if (hrp === null) throw new TypeError(`${ownScript} on a network without segwit`);
		return bech32.encode(hrp, [0, ...bech32.toWords(hash)]);
	}
	const [version = p2pkh] = ownScript === 'p2sh' ? p2sh : [];
	return base58check.encode(Uint8Array.of(version, ...hash));
}
