/**
 * Signs that the wallets hold addresses: of the signer's own keys and journal, at the time of its own clock, in a text of its own.
 * The block and the debts are the caller's: who checks a signature looks both up. Where an address needs both judges, the co-signer
 * does the same for itself.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { reserveText } from '../chains/reserve-text.ts';
import type { ChainSigner } from '../chains/signing-port.ts';
import {
	MOST_SIGNED,
	type ReserveBlock,
	type ReserveClaim,
	type ReservesSigner,
	type SignedReserve,
} from '../ports/reserves.ts';

/** By so much a claim may be older or newer than the signer's clock. */
const CLAIM_MILLISECONDS = 600_000;

interface Own {
	/** Empty where it has no name. */
	readonly deployment: string;
	readonly network: NetworkName;
	/** Derivation indexes of pay-in addresses, by the journal. */
	readonly indexes: ReadonlyMap<string, number>;
	/** Null where no other judge is asked: also in the co-signer. */
	readonly cosigner?: ReservesSigner | null;
}

/** As `ReservesSigner`. */
export async function signReserves(
	signer: ChainSigner,
	{ deployment, network, indexes, cosigner }: Own,
	{ claim, block }: { readonly claim: ReserveClaim; readonly block: ReserveBlock },
	addresses: readonly string[],
): Promise<SignedReserve[]> {
	if (!(Math.abs(Date.parse(claim.at) - Date.now()) <= CLAIM_MILLISECONDS) || addresses.length > MOST_SIGNED)
		throw new TypeError('a reserve of another time, or too many at once');
	if (!signer.signReserve) return [];
	const halves = signer.approve ? ((await cosigner?.signReserves(network, claim, block, addresses)) ?? []) : [];
	const signed: SignedReserve[] = [];
	for (const address of addresses) {
		const index = address === signer.hotAddress() ? null : indexes.get(address);
		if (index === undefined) continue;
		const message = reserveText({ ...claim, deployment: deployment || '-', network, address, block });
		const half = halves.find((each) => each.address === address && each.message === message);
		const signature = await signer.signReserve(message, index, half?.signature);
		if (signature !== null) signed.push({ address, message, signature });
	}
	return signed;
}
