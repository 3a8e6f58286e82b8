/**
 * Keys of the service, for the signer only: BIP32 under the path of BIP84, or BIP44 where there is no segwit. Deposits
 * use account 0', the hot wallet uses account 1'. In one shared account, the extended public key and the private key of
 * a single child would reveal all other keys (BIP32, "Security").
 */
import { childKey } from '../bip32.ts';
import { ownAddress } from './address.ts';
import type { UtxoParams } from './params.ts';

const DEPOSIT_ACCOUNT = 0;
const HOT_ACCOUNT = 1;
/** The external chain of BIP44. The hot wallet receives its change at the same single address. */
const EXTERNAL_CHAIN = 0;
const HOT_INDEX = 0;

export interface UtxoKey {
	readonly address: string;
	readonly script: Uint8Array;
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

function keyAt(seed: Uint8Array, params: UtxoParams, account: number, index: number): UtxoKey {
	const purpose = params.ownScript === 'p2wpkh' ? 84 : 44;
	const path = `m/${purpose}'/${params.coinType}'/${account}'/${EXTERNAL_CHAIN}`;
	const { publicKey, privateKey } = childKey(seed, path, index);
	return { ...ownAddress(publicKey, params), publicKey, privateKey };
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export const payInKey = (seed: Uint8Array, params: UtxoParams, index: number): UtxoKey =>
	keyAt(seed, params, DEPOSIT_ACCOUNT, index);

export const hotKey = (seed: Uint8Array, params: UtxoParams): UtxoKey => keyAt(seed, params, HOT_ACCOUNT, HOT_INDEX);

export const payInAddress = (seed: Uint8Array, params: UtxoParams, index: number): string =>
	payInKey(seed, params, index).address;

export const hotAddress = (seed: Uint8Array, params: UtxoParams): string => hotKey(seed, params).address;
