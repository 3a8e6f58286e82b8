/** Tells the co-signer of addresses before anybody else is told of them. */
import type { NetworkName } from '../catalog/networks.ts';
import type { ChainSigner } from '../chains/signing-port.ts';
import type { Cosigner } from '../ports/cosigner.ts';
import type { Addresses } from './journal/addresses.ts';

export interface Announcing {
	readonly network: NetworkName;
	readonly signer: ChainSigner;
	/** Null where the signer decides alone. */
	readonly cosigner: Pick<Cosigner, 'announce'> | null;
}

/** As `Cosigner.announce`. @throws TypeError also where both have to sign, and the co-signer does not run the network */
export async function announce({ network, signer, cosigner }: Announcing, first: number, addresses: readonly string[]) {
	const isJudged = await cosigner?.announce(network, first, addresses, signer.hotAddress());
	if (isJudged === false && signer.approve) throw new TypeError(`the co-signer has no nodes of ${network}`);
}

/** The hot wallet's address. Where an address of the network was made before, the co-signer was told of it. */
export async function announcedHot(announcing: Announcing, addresses: Addresses): Promise<string> {
	const { network, signer, cosigner } = announcing;
	if (cosigner && addresses.anyOf(network) === null) await announce(announcing, 0, []);
	return signer.hotAddress();
}
