/**
 * Addresses and their output scripts: BIP173 and BIP350 for segwit, base58check for the rest. An address is refused
 * unless its script is known to be spendable: coins sent to any other script would be lost. Pure.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { keyHashScript, scriptHashScript, taprootScript, witnessScript } from './output-script.ts';
import type { UtxoParams } from './params.ts';

/** BIP173; a base58check address is shorter. */
const MAX_LENGTH = 90;
const HASH_BYTES = 20;
const SCRIPT_HASH_BYTES = 32;
const TAPROOT_KEY_BYTES = 32;

const base58check = createBase58check(sha256);

export const isUtxoAddress = (text: string, params: UtxoParams): boolean => scriptOf(text, params) !== null;

/** The output script that `text` pays to; null unless it is an accepted address of this network. */
export function scriptOf(text: string, params: UtxoParams): Uint8Array | null {
	if (text.length > MAX_LENGTH) return null;
	if (params.hrp !== null && text.toLowerCase().startsWith(`${params.hrp}1`)) return segwitScript(text, params.hrp);
	return base58Script(text, params);
}

function base58Script(text: string, params: UtxoParams): Uint8Array | null {
	const payload = attempt(() => base58check.decode(text));
	if (payload?.length !== 1 + HASH_BYTES) return null;
	const version = payload[0];
	const hash = payload.subarray(1);
	if (version === params.p2pkh) return keyHashScript(hash);
	if (version !== undefined && params.p2sh.includes(version)) return scriptHashScript(hash);
	return null;
}

/** Version 0 uses bech32, version 1 bech32m (BIP350). Later versions are refused: nobody knows yet who can spend them. */
function segwitScript(text: string, hrp: string): Uint8Array | null {
	const v0 = attempt(() => witness(bech32, text, hrp));
	if (v0?.version === 0 && [HASH_BYTES, SCRIPT_HASH_BYTES].includes(v0.program.length)) {
		return witnessScript(v0.program);
	}
	const v1 = attempt(() => witness(bech32m, text, hrp));
	return v1?.version === 1 && v1.program.length === TAPROOT_KEY_BYTES ? taprootScript(v1.program) : null;
}

/** @throws Error on a wrong checksum, mixed case, non-zero padding or another network's prefix. */
function witness(
	codec: typeof bech32,
	text: string,
	hrp: string,
): { version: number | undefined; program: Uint8Array } {
	const { prefix, words } = codec.decode(text as `${string}1${string}`, MAX_LENGTH);
	if (prefix !== hrp) throw new Error('another network');
	return { version: words[0], program: codec.fromWords(words.slice(1)) };
}

function attempt<T>(run: () => T): T | null {
	try {
		return run();
	} catch {
		return null;
	}
}
