/** Verifies messages of accounts that have Ethereum's keys (`account-message.ts`). Pure. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { type MessageName, messageDigest, RECOVERY_BASE } from './account-message.ts';
import { type SignedBy, type SignedText, soundly } from './verifying-port.ts';

const HASH_BYTES = 20;
const SIGNATURE_BYTES = 65;
/** So many possible keys a recovery byte tells apart. */
const MOST_RECOVERY = 3;

/** The network's address of the last bytes of a key's hash. */
type AddressOf = (hash: Uint8Array) => string;

/** By one key alone. */
export const signedByAccount = (name: MessageName, addressOf: AddressOf, text: SignedText): SignedBy =>
	soundly(() => {
		const [signer, ...others] = signersOf(name, addressOf, text);
		return signer === text.address && others.length === 0;
	});

/** The addresses of the keys that signed: their signatures stand one behind the other. @throws Error where one is none */
export function signersOf(
	name: MessageName,
	addressOf: AddressOf,
	{ message, signature }: Pick<SignedText, 'message' | 'signature'>,
): string[] {
	const bytes = hex.decode(signature.replace(/^0x/, ''));
	const digest = messageDigest(name, message);
	return Array.from({ length: Math.ceil(bytes.length / SIGNATURE_BYTES) }, (_, at) => {
		const each = bytes.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
		const key = recoveredKey(digest, (each.at(-1) ?? 0) - RECOVERY_BASE, each.subarray(0, -1));
		return addressOf(keccak_256(key.toBytes(false).subarray(1)).subarray(-HASH_BYTES));
	});
}

/** The key that signed a digest. `rs`: the signature without its recovery. @throws Error where there is no such key */
export function recoveredKey(digest: Uint8Array, recovery: number, rs: Uint8Array) {
	if (recovery < 0 || recovery > MOST_RECOVERY) throw new RangeError('no recovery byte');
	const key = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...rs), digest, { prehash: false });
	return secp256k1.Point.fromBytes(key);
}
