/**
 * The service's keys, for the signer only: BIP44 with Ethereum's coin type for all EVM networks. An index has the same
 * address on each of them, and they share one counter of indexes. So an address belongs to one order only, and a
 * deposit on the wrong network can still be matched to its order.
 */
import { type HashedKey, hashedKeys } from '../bip32.ts';
import { checksumAddress } from './address.ts';

export type EvmKey = HashedKey;

export const { payInKey, hotKey, payInAddress, hotAddress, ownAddresses, judgeKeys, addressesOf } = hashedKeys(
	60,
	checksumAddress,
);
