/**
 * Is a reserve's message signed by its address? An address in any other spelling than the network's usual one is not that
 * address, so that none counts twice. Monero's proof is not here: its wallet checks it (`shown.ts`). Pure.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, base64, hex } from '@scure/base';
import type { NetworkOf } from '../../catalog/networks.ts';
import { type MessageName, messageBytes, RECOVERY_BASE } from '../account-message.ts';
import type { NodeChain } from '../configuration.ts';
import { checksumAddress } from '../evm/address.ts';
import { isSolanaAddress } from '../solana/address.ts';
import { tronAddress } from '../tron/address.ts';
import { byteReader } from '../utxo/byte-reader.ts';
import { sha256d } from '../utxo/merkle.ts';
import { ownAddress } from '../utxo/own-script.ts';
import { utxoParams } from '../utxo/params.ts';
import { COMPRESSED_BASE, dashBytes, SIGHASH_ALL, segwitDigest } from '../utxo/prove.ts';

export interface SignedText {
	readonly address: string;
	readonly message: string;
	readonly signature: string;
}

const HASH_BYTES = 20;
/** A compressed key. */
const KEY_BYTES = 33;
/** So many possible keys a recovery byte tells apart. */
const MOST_RECOVERY = 3;
const RAW = { prehash: false } as const;

/** False also where it cannot be read. */
function isSound(check: () => boolean): boolean {
	try {
		return check();
	} catch {
		return false;
	}
}

/** Ethereum's and Tron's. */
export const isSignedByAccount = (name: MessageName, { address, message, signature }: SignedText): boolean =>
	isSound(() => {
		const bytes = hex.decode(signature.replace(/^0x/, ''));
		const recovery = (bytes.at(-1) ?? 0) - RECOVERY_BASE;
		const key = recoveredKey(keccak_256(messageBytes(name, message)), recovery, bytes.subarray(0, -1));
		const hash = keccak_256(key.toBytes(false).subarray(1)).subarray(-HASH_BYTES);
		return address === (name === 'TRON' ? tronAddress : checksumAddress)(hash);
	});

/** @throws Error where there is no such key */
function recoveredKey(digest: Uint8Array, recovery: number, rs: Uint8Array) {
	if (recovery < 0 || recovery > MOST_RECOVERY) throw new RangeError('no recovery byte');
	const key = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...rs), digest, RAW);
	return secp256k1.Point.fromBytes(key);
}

export const isSignedOnSolana = ({ address, message, signature }: SignedText): boolean =>
	isSound(
		() =>
			isSolanaAddress(address) &&
			ed25519.verify(base58.decode(signature), new TextEncoder().encode(message), base58.decode(address)),
	);

export const isSignedOnUtxo = (network: NetworkOf<'utxo'>, chain: NodeChain, text: SignedText): boolean => {
	const params = utxoParams(network, chain);
	return isSound(() => {
		const bytes = base64.decode(text.signature);
		const key = params.hrp === null ? keyByDash(bytes, text.message) : bytes.subarray(-KEY_BYTES);
		const { address, script } = ownAddress(key, params);
		return address === text.address && (params.hrp === null || isWitness(bytes, segwitDigest(script, text.message)));
	});
};

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
		secp256k1.verify(signature.subarray(0, -1), digest, key, { ...RAW, format: 'der' })
	);
}
