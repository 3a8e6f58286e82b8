/** The service's keys on Tron, for the signer only: BIP44 with Tron's coin type. */
import { type HashedKey, hashedKeys } from '../bip32.ts';
import { tronAddress } from './address.ts';

export type TronKey = HashedKey;

export const { payInKey, hotKey, judgeKeys, addressesOf } = hashedKeys(195, tronAddress);

export const payInAddress = (seed: Uint8Array, index: number): string => payInKey(seed, index).address;

export const hotAddress = (seed: Uint8Array): string => hotKey(seed).address;
