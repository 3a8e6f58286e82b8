/**
 * The text that a pay-in key signs where no other judge can derive its address from public keys (book: cosigner): the holder of the
 * key says that the address is the deployment's. It is one line of printable ASCII, and no transaction, for the reasons in
 * `prove.ts` of its family. Pure.
 */
import type { NetworkName } from '../catalog/networks.ts';

/** Only `addressText` makes one. */
export type AddressText = string & { readonly form: 'address' };

export interface AddressFacts {
	/** The deployment's name; empty where it has none. */
	readonly deployment: string;
	readonly network: NetworkName;
	/** Derivation index. */
	readonly index: number;
	readonly address: string;
}

/** An address with the signature of its own key, as one judge sends it to the other. */
export interface StatedAddress extends Omit<AddressFacts, 'deployment'> {
	readonly signature: string;
}

export const addressText = ({ deployment, network, index, address }: AddressFacts): AddressText =>
	`Partner Exchange pay-in address: ${deployment || '-'} ${network} ${index} ${address}` as AddressText;
