/**
 * Builds and signs our transactions. Each input spends p2wpkh (BIP143) or p2pkh, and its signature covers all inputs and
 * outputs. Written out, because the library's `Transaction` also knows PSBT, Taproot and the scripts of others: 20 KiB of the
 * signer's bundle, gzipped. A test compares the bytes with the library's. Pure: RFC 6979 signatures need no randomness.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { sumOf } from '../../money/units.ts';
import type { UtxoKey } from './keys.ts';
import { reversedHex, sha256d } from './merkle.ts';
import { keyHashScript, witnessKeyHashIn } from './output-script.ts';

/**
 * Sequence numbers. The first allows a later fee bump with the same inputs (BIP125). The second only keeps the lock
 * time effective.
 */
const REPLACEABLE = 0xfffffffd;
const NOT_REPLACEABLE = 0xfffffffe;

export interface SigningCoin {
	readonly txId: string;
	readonly vout: number;
	readonly amount: bigint;
	readonly key: UtxoKey;
}

interface Output {
	readonly script: Uint8Array;
	readonly amount: bigint;
}

/** Both throw on a negative number, and on one that does not fit. */
const u32 = (value: number): Uint8Array => numberToBytesLE(BigInt(value), 4);
const u64 = (value: bigint): Uint8Array => numberToBytesLE(value, 8);

const VERSION = u32(2);
const LOCK_TIME = u32(0);
const SEGWIT = Uint8Array.of(0, 1);
const SIGHASH_ALL = 1;
const NONE = new Uint8Array();
const ID_BYTES = 32;
/** From here on a count has more bytes than one. */
const TWO_BYTES = 0xfd;

/** Bitcoin's compact size, below 65 536. */
const count = (value: number): Uint8Array =>
	value < TWO_BYTES ? Uint8Array.of(value) : concatBytes(Uint8Array.of(TWO_BYTES), numberToBytesLE(BigInt(value), 2));
export const counted = (bytes: Uint8Array): Uint8Array => concatBytes(count(bytes.length), bytes);
const listed = (parts: readonly Uint8Array[]): Uint8Array => concatBytes(count(parts.length), ...parts);

/** Spends all of `coins`. What the outputs do not take is the fee. @throws TypeError where they take more than there is. */
export function signedTransaction(
	coins: readonly SigningCoin[],
	outputs: readonly Output[],
	replaceable: boolean,
): { raw: string; txId: string } {
	if (sumOf(outputs) > sumOf(coins)) throw new TypeError('the outputs take more than the coins have');
	const unsigned: Unsigned = {
		coins,
		outpoints: coins.map(outpointOf),
		sequence: u32(replaceable ? REPLACEABLE : NOT_REPLACEABLE),
		outputs: outputs.map(({ script, amount }) => concatBytes(u64(amount), counted(script))),
	};
	const shown = coins.map((_, at) => signedInput(unsigned, at));
	const [inputs, paid] = [inputsWith(unsigned, (at) => shown[at]?.script ?? NONE), listed(unsigned.outputs)];
	const stripped = concatBytes(VERSION, inputs, paid, LOCK_TIME);
	const isSegwit = shown.some(({ witness }) => witness.length > 0);
	const witnesses = shown.map(({ witness }) => listed(witness.map(counted)));
	const raw = isSegwit ? concatBytes(VERSION, SEGWIT, inputs, paid, ...witnesses, LOCK_TIME) : stripped;
	return { raw: hex.encode(raw), txId: reversedHex(sha256d(stripped)) };
}

interface Unsigned {
	readonly coins: readonly SigningCoin[];
	readonly outpoints: readonly Uint8Array[];
	readonly sequence: Uint8Array;
	readonly outputs: readonly Uint8Array[];
}

function outpointOf({ txId, vout }: SigningCoin): Uint8Array {
	const id = hex.decode(txId);
	if (id.length !== ID_BYTES) throw new TypeError(`not the id of a transaction: ${txId}`);
	return concatBytes(id.reverse(), u32(vout));
}

const inputsWith = ({ outpoints, sequence }: Unsigned, scriptAt: (at: number) => Uint8Array): Uint8Array =>
	listed(outpoints.map((outpoint, at) => concatBytes(outpoint, counted(scriptAt(at)), sequence)));

/** Signature and key of an input stand in its script, or in its witness. */
interface Shown {
	readonly script: Uint8Array;
	readonly witness: readonly Uint8Array[];
}

function signedInput(unsigned: Unsigned, at: number): Shown {
	const { key } = unsigned.coins[at] as SigningCoin;
	const isSegwit = witnessKeyHashIn(key.script) !== null;
	const preimage = isSegwit ? segwitPreimage(unsigned, at) : legacyPreimage(unsigned, at);
	const digest = sha256d(concatBytes(preimage, LOCK_TIME, u32(SIGHASH_ALL)));
	const der = secp256k1.sign(digest, key.privateKey, { prehash: false, format: 'der' });
	const shown = [Uint8Array.of(...der, SIGHASH_ALL), key.publicKey];
	// So few bytes are pushed by their number.
	return isSegwit ? { script: NONE, witness: shown } : { script: concatBytes(...shown.map(counted)), witness: [] };
}

/** All inputs without scripts, but for this one, which has its coin's. */
const legacyPreimage = (unsigned: Unsigned, at: number): Uint8Array =>
	concatBytes(
		VERSION,
		inputsWith(unsigned, (each) => (each === at ? unsigned.coins[at]?.key.script : undefined) ?? NONE),
		listed(unsigned.outputs),
	);

/** BIP143. */
function segwitPreimage({ coins, outpoints, sequence, outputs }: Unsigned, at: number): Uint8Array {
	const { key, amount } = coins[at] as SigningCoin;
	return concatBytes(
		VERSION,
		sha256d(concatBytes(...outpoints)),
		sha256d(concatBytes(...coins.map(() => sequence))),
		outpoints[at] as Uint8Array,
		counted(keyHashScript(witnessKeyHashIn(key.script) as Uint8Array)),
		u64(amount),
		sequence,
		sha256d(concatBytes(...outputs)),
	);
}
