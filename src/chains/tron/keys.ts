/** The service's keys on Tron, for the signer only: BIP44 with Tron's coin type. */
import { type HashedKey, hashedKeys } from '../bip32.ts';
import { tronAddress } from './address.ts';

export type TronKey = HashedKey;

export const { payInKey, hotKey, payInAddress, hotAddress, ownAddresses, judgeKeys, addressesOf } = hashedKeys(
	195,
	tronAddress,
);
