/** Verifies messages of a UTXO network (`prove.ts`). Pure. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base64 } from '@scure/base';
import type { NetworkOf } from '../../catalog/networks.ts';
import { recoveredKey } from '../account-signature.ts';
import type { NodeChain } from '../configuration.ts';
import { isSound, type SignedText } from '../verifying-port.ts';
import { byteReader } from './byte-reader.ts';
import { sha256d } from './merkle.ts';
import { ownAddress } from './own-script.ts';
import { utxoParams } from './params.ts';
import { COMPRESSED_BASE, dashBytes, SIGHASH_ALL, segwitDigest } from './prove.ts';

/** A compressed key. */
const KEY_BYTES = 33;

export function isSignedOnUtxo(network: NetworkOf<'utxo'>, chain: NodeChain, text: SignedText): boolean {
	const params = utxoParams(network, chain);
	return isSound(() => {
		const bytes = base64.decode(text.signature);
		const key = params.hrp === null ? keyByDash(bytes, text.message) : bytes.subarray(-KEY_BYTES);
		const { address, script } = ownAddress(key, params);
		return address === text.address && (params.hrp === null || isWitness(bytes, segwitDigest(script, text.message)));
	});
}

const keyByDash = (bytes: Uint8Array, message: string): Uint8Array =>
	recoveredKey(sha256d(dashBytes(message)), (bytes[0] ?? 0) - COMPRESSED_BASE, bytes.subarray(1)).toBytes();

/** The witness is a signature of all, and a key, and nothing else. */
function isWitness(bytes: Uint8Array, digest: Uint8Array): boolean {
	const next = byteReader(bytes);
	const [count, signature, key] = [next.count(), next.counted(), next.counted()];
	return (
		count === 2 &&
		next.rest() === 0 &&
		signature.at(-1) === SIGHASH_ALL &&
		secp256k1.verify(signature.subarray(0, -1), digest, key, { prehash: false, format: 'der' })
	);
}
