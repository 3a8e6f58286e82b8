/** Verifies messages of accounts that have Ethereum's keys (`account-message.ts`). Pure. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { type MessageName, messageBytes, RECOVERY_BASE } from './account-message.ts';
import { isSound, type SignedText } from './verifying-port.ts';

const HASH_BYTES = 20;
/** So many possible keys a recovery byte tells apart. */
const MOST_RECOVERY = 3;

/** `addressOf`: the network's address of the last bytes of a key's hash. */
export const isSignedByAccount = (
	name: MessageName,
	addressOf: (hash: Uint8Array) => string,
	{ address, message, signature }: SignedText,
): boolean =>
	isSound(() => {
		const bytes = hex.decode(signature.replace(/^0x/, ''));
		const recovery = (bytes.at(-1) ?? 0) - RECOVERY_BASE;
		const key = recoveredKey(keccak_256(messageBytes(name, message)), recovery, bytes.subarray(0, -1));
		return address === addressOf(keccak_256(key.toBytes(false).subarray(1)).subarray(-HASH_BYTES));
	});

/** The key that signed a digest. `rs`: the signature without its recovery. @throws Error where there is no such key */
export function recoveredKey(digest: Uint8Array, recovery: number, rs: Uint8Array) {
	if (recovery < 0 || recovery > MOST_RECOVERY) throw new RangeError('no recovery byte');
	const key = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...rs), digest, { prehash: false });
	return secp256k1.Point.fromBytes(key);
}
