/**
 * Keys of the service, for the signer only: BIP32 under the path of BIP84, or BIP44 where there is no segwit. Deposits
 * use account 0', the hot wallet uses account 1'. In one shared account, the extended public key and the private key of
 * a single child would reveal all other keys (BIP32, "Security").
 *
 * Where both judges sign, each output is of two keys under the path of BIP48, one of each seed: deposits on the external
 * chain, the hot wallet on the internal one. Each judge knows the other's extended public keys, so both make the same
 * addresses, and a wallet that knows BIP48 finds them with both seeds.
 */
import { ConfigurationError } from '../../crypto/key-ring.ts';
import { childKey, extendedPublicKey, publicChild } from '../bip32.ts';
import type { JudgeKeys, Judges } from '../judge-keys.ts';
import type { OwnAddresses } from '../signing-port.ts';
import { twoKeysScript } from './output-script.ts';
import { isSegwit, ownAddress } from './own-script.ts';
import { sharedParams, type UtxoParams } from './params.ts';

/** The hot wallet receives its change at the same single address. */
const HOT_INDEX = 0;
/** BIP48's kinds of script: p2wsh, and the one that wallets use for p2sh. */
const SHARED_KIND = { segwit: 2, legacy: 0 } as const;

export interface UtxoKey {
	readonly address: string;
	readonly script: Uint8Array;
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
	/** Where both judges sign: the script of both keys, and the other's key. */
	readonly shared?: { readonly script: Uint8Array; readonly othersKey: Uint8Array };
}

/** The keys of one network. */
export interface UtxoKeys {
	payIn(index: number): UtxoKey;
	readonly hot: UtxoKey;
}

type Branch = keyof JudgeKeys;

/** The parent of the keys of one branch. */
function pathOf({ ownScript, coinType }: UtxoParams, branch: Branch): string {
	const purpose = isSegwit(ownScript) ? 84 : 44;
	return `m/${purpose}'/${coinType}'/${branch === 'payIn' ? 0 : 1}'/0`;
}

function sharedPathOf({ ownScript, coinType }: UtxoParams, branch: Branch): string {
	const kind = SHARED_KIND[isSegwit(ownScript) ? 'segwit' : 'legacy'];
	return `m/48'/${coinType}'/0'/${kind}'/${branch === 'payIn' ? 0 : 1}`;
}

/** This judge's keys, for the other one. `seed`: the 64 bytes of a BIP39 mnemonic. */
export function utxoJudgeKeys(seed: Uint8Array, params: UtxoParams, isCosigned: boolean): JudgeKeys {
	const path = isCosigned ? sharedPathOf : pathOf;
	return { payIn: extendedPublicKey(seed, path(params, 'payIn')), hot: extendedPublicKey(seed, path(params, 'hot')) };
}

/** `seed`: as in `utxoJudgeKeys`. @throws ConfigurationError where the other judge's keys are our own */
export function utxoKeys(seed: Uint8Array, params: UtxoParams, judges?: Judges): UtxoKeys {
	if (judges?.isCosigned) return keysBy(sharedKeys(seed, params, judges.other));
	return keysBy((branch, index) => {
		const key = childKey(seed, pathOf(params, branch), index);
		return { ...ownAddress(key.publicKey, params), ...key };
	});
}

type KeyOn = (branch: Branch, index: number) => UtxoKey;

const keysBy = (keyOn: KeyOn): UtxoKeys => ({ payIn: (index) => keyOn('payIn', index), hot: keyOn('hot', HOT_INDEX) });

/** The addresses of another judge that decides alone, by its `utxoJudgeKeys`. */
export function othersAddresses(params: UtxoParams, { payIn, hot }: JudgeKeys): OwnAddresses {
	const addressOf = (parent: string, index: number) => ownAddress(publicChild(parent, index), params).address;
	return { payInAddress: (index) => addressOf(payIn, index), hotAddress: () => addressOf(hot, HOT_INDEX) };
}

function sharedKeys(seed: Uint8Array, params: UtxoParams, other: JudgeKeys): KeyOn {
	const own = utxoJudgeKeys(seed, params, true);
	// One seed in both places would be one judge.
	if ([own.payIn, own.hot].some((key) => key === other.payIn || key === other.hot))
		throw new ConfigurationError('the keys of the other judge are this one’s own: each needs a seed of its own');
	return (branch, index) => {
		const key = childKey(seed, sharedPathOf(params, branch), index);
		const othersKey = publicChild(other[branch], index);
		const script = twoKeysScript(key.publicKey, othersKey);
		return { ...ownAddress(script, sharedParams(params)), ...key, shared: { script, othersKey } };
	};
}
