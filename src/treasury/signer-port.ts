/** What the API Worker may ask of the signer over the service binding: addresses and signatures, never a key. */
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { PoolTerms } from '../orders/seal.ts';

export type SealedAddress = PoolTerms & { readonly seal: string };

export type SignOutcome =
	| { readonly payoutId: string; readonly signed: { readonly raw: string; readonly txId: string } }
	/** `again`: nothing is wrong with the payout, and a later try may do; else a person must look. */
	| { readonly payoutId: string; readonly refused: string; readonly again: boolean };

export interface SignerService {
	/** The next `count` addresses of the network, never given before, each with its seal. */
	newAddresses(network: NetworkName, count: number): Promise<SealedAddress[]>;
	/** The payout wallet's address. */
	hotAddress(network: NetworkName): Promise<string>;
	/** What the signer's own nodes answer when they are asked what must be true before coins move there. */
	check(network: NetworkName): Promise<NetworkCheck[]>;
	/** Judges and signs payouts of one network, by their ids in D1; one outcome each, in order. */
	sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]>;
}
