/**
 * Keys of the service, for the signer only: BIP32 under the path of BIP84, or BIP44 where there is no segwit.
 * Deposits are account 0', the payout wallet is account 1': with one account, its extended public key and a single
 * child's private key would give away all the others (BIP32, "Security").
 */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { ownAddress } from './address.ts';
import type { UtxoParams } from './params.ts';

const DEPOSIT_ACCOUNT = 0;
const HOT_ACCOUNT = 1;
/** The external chain of BIP44; the payout wallet takes its change on the same single address. */
const EXTERNAL_CHAIN = 0;
const HOT_INDEX = 0;

export interface UtxoKey {
	readonly address: string;
	readonly script: Uint8Array;
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

/** Three hardened steps per account are slow; they are taken once per seed and path. */
const accountNodes = new WeakMap<Uint8Array, Map<string, HDKey>>();

function accountNode(seed: Uint8Array, path: string): HDKey {
	const known = accountNodes.get(seed) ?? new Map<string, HDKey>();
	accountNodes.set(seed, known);
	const node = known.get(path) ?? HDKey.fromMasterSeed(seed).derive(path);
	known.set(path, node);
	return node;
}

function keyAt(seed: Uint8Array, params: UtxoParams, account: number, index: number): UtxoKey {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	const purpose = params.ownScript === 'p2wpkh' ? 84 : 44;
	const node = accountNode(seed, `m/${purpose}'/${params.coinType}'/${account}'/${EXTERNAL_CHAIN}`).deriveChild(index);
	const { publicKey, privateKey } = node;
	if (!publicKey || !privateKey) throw new TypeError('a node derived from a seed has both keys');
	return { ...ownAddress(publicKey, params), publicKey, privateKey };
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export const payInKey = (seed: Uint8Array, params: UtxoParams, index: number): UtxoKey =>
	keyAt(seed, params, DEPOSIT_ACCOUNT, index);

export const hotKey = (seed: Uint8Array, params: UtxoParams): UtxoKey => keyAt(seed, params, HOT_ACCOUNT, HOT_INDEX);

export const payInAddress = (seed: Uint8Array, params: UtxoParams, index: number): string =>
	payInKey(seed, params, index).address;

export const hotAddress = (seed: Uint8Array, params: UtxoParams): string => hotKey(seed, params).address;
