/** Verifies messages of a UTXO network (`prove.ts`). Pure. */
import { equalBytes } from '@noble/curves/utils.js';
import { base64 } from '@scure/base';
import type { NetworkOf } from '../../catalog/networks.ts';
import { recoveredKey } from '../account-signature.ts';
import type { NodeChain } from '../configuration.ts';
import { type SignedBy, type SignedText, soundly } from '../verifying-port.ts';
import { byteReader } from './byte-reader.ts';
import { sha256d } from './merkle.ts';
import { keyHashScript, keysOfTwo } from './output-script.ts';
import { isShared, lockHash, ownAddress } from './own-script.ts';
import { sharedParams, type UtxoParams, utxoParams } from './params.ts';
import { COMPRESSED_BASE, dashBytes, spendingBytes, spendingDigest } from './prove.ts';
import { holds } from './transaction.ts';

type Bytes = Uint8Array;

export function signedOnUtxo(network: NetworkOf<'utxo'>, chain: NodeChain, text: SignedText): SignedBy {
	const params = utxoParams(network, chain);
	return soundly(() => {
		const bytes = base64.decode(text.signature);
		if (isShared(text.address, params)) return byTwo(bytes, text, sharedParams(params));
		return params.hrp === null ? byDash(bytes, text, params) : byWitness(bytes, text, params);
	});
}

function byDash(bytes: Bytes, { address, message }: SignedText, params: UtxoParams): boolean {
	const recovery = (bytes[0] ?? 0) - COMPRESSED_BASE;
	const key = recoveredKey(sha256d(dashBytes(message)), recovery, bytes.subarray(1));
	return ownAddress(key.toBytes(), params).address === address;
}

/** The witness is a signature of all, and a key, and nothing else. */
function byWitness(bytes: Bytes, { address, message }: SignedText, params: UtxoParams): boolean {
	const [signature, key, ...more] = witnessIn(bytes);
	if (!signature || !key || more.length > 0) return false;
	const own = ownAddress(key, params);
	const digest = spendingDigest(own.script, keyHashScript(lockHash(key, 'p2pkh')), message);
	return own.address === address && holds(signature, digest, key);
}

/** Both signatures in the order of the keys, an empty item before them, and the script of two keys behind them. */
function byTwo(bytes: Bytes, { address, message }: SignedText, params: UtxoParams): boolean | SignedBy {
	const unlocking = params.hrp === null ? unlockingIn(bytes) : null;
	const items = unlocking ? pushedIn(unlocking) : witnessIn(bytes);
	const lock = items.at(-1) ?? new Uint8Array();
	const own = ownAddress(lock, params);
	const keys = keysOfTwo(lock);
	if (own.address !== address || !keys) return false;
	const digest = spendingDigest(own.script, lock, message);
	const [none, ...signatures] = items.slice(0, -1);
	const isWhole =
		none?.length === 0 &&
		signatures.length === keys.length &&
		keys.every((key, at) => holds(signatures[at] as Bytes, digest, key));
	if (isWhole) return !unlocking || equalBytes(bytes, spendingBytes(own.script, message, unlocking));
	return keys.some((key) => items.some((item) => holds(item, digest, key))) ? 'some' : 'none';
}

function witnessIn(bytes: Bytes): Bytes[] {
	const next = byteReader(bytes);
	const items = Array.from({ length: next.count() }, next.counted);
	if (next.rest() > 0) throw new TypeError('there are bytes behind the witness');
	return items;
}

/** Version, the number of inputs and the outpoint. */
const BEFORE_UNLOCKING = 41;

function unlockingIn(bytes: Bytes): Bytes {
	const next = byteReader(bytes);
	next.take(BEFORE_UNLOCKING);
	return next.counted();
}

function pushedIn(unlocking: Bytes): Bytes[] {
	const next = byteReader(unlocking);
	const items: Bytes[] = [];
	// So few bytes are pushed by their number.
	while (next.rest() > 0) items.push(next.counted());
	return items;
}
