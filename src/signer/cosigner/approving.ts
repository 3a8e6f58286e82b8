/** The signer's own means, as the co-signer judges with them: where the signer makes a transaction, it approves the signer's draft. */
import type { NetworkName } from '../../catalog/networks.ts';
import { type AddressFacts, addressText, type StatedAddress } from '../../chains/address-text.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningState, Sweep } from '../../chains/signing-port.ts';
import type { Cosigning, Proofs } from '../../ports/cosigner.ts';
import { approved } from '../cosigned.ts';
import type { Signing } from '../signing.ts';
import type { MovementRow } from '../sweeps/judge.ts';
import { signMovement } from '../sweeps/sign.ts';
import { statedIn, sweepsIn } from './rows.ts';

/**
 * The same means, but what would make a transaction approves the draft. Nothing is signed for a pay-in address. `asked`: with the
 * signer's sweeps, which where a balance proves deposits are a part of the proof, and what its pay-in keys state; null where
 * no deposit is judged.
 */
export function approving(signing: Signing, raw: string, asked: (Proofs & Partial<Cosigning>) | null): Signing {
	const { signer } = signing;
	const id = asked?.payoutId;
	const approve = (payment: Payment | null, previous: SignedTransaction | null, state: SigningState) =>
		approved(signer, { raw, payment, previous }, state);
	const approveSweep = (sweep: Sweep, state: SigningState) => {
		const address = wallets.payInAddress(sweep.index);
		return approved(signer, { raw, payment: null, previous: null, sweep: { sweep, address } }, state);
	};
	const approves = {
		sign: (payment: Payment, state: SigningState) => approve(payment, null, state),
		replace: (previous: SignedTransaction, payment: Payment, state: SigningState) => approve(payment, previous, state),
		consolidate: signer.consolidate && ((state: SigningState) => approve(null, null, state)),
		sweep:
			id !== undefined && signer.areSweepsShared
				? (sweep: Sweep, state: SigningState) => approveSweep({ ...sweep, id }, state)
				: undefined,
		returnToken: undefined,
	};
	const sweeps = asked ? sweepsIn(asked) : [];
	const stated = asked ? statedIn(asked) : [];
	const proving = (network: NetworkName, other: ChainSigner): ChainSigner => {
		const finalAmount: ChainSigner['finalAmount'] = (refs, isFinal, own) =>
			other.finalAmount(refs, isFinal, [...own, ...sweeps]);
		const payInAddress: ChainSigner['payInAddress'] = (index) =>
			statedAt({ network, index, deployment: signing.sealKeys.deployment }, other, stated) ?? other.payInAddress(index);
		return Object.assign(Object.create(other), { finalAmount, payInAddress });
	};
	const wallets = proving(signing.network, signer);
	return {
		...signing,
		signer: Object.assign(wallets, approves),
		signerOn(network) {
			const other = signing.signerOn(network);
			return other && proving(network, other);
		},
	};
}

/**
 * A sweep whose fee the hot wallet pays. It goes to the hot wallet and nowhere else, and needs the signature of the pay-in key,
 * which the signer has alone. So its fee is what is judged. It is signed again under another id each time, because a signer
 * that has lost the answer can do nothing with the first one.
 */
export const signSwept = (signing: Signing, row: MovementRow) =>
	signMovement(signing, { ...row, id: crypto.randomUUID() }, null);

/** The address that its own key states to be ours at the index; null where none does, or addresses are derived. */
function statedAt(
	at: Omit<AddressFacts, 'address'>,
	{ stating }: ChainSigner,
	stated: readonly StatedAddress[],
): string | null {
	const found = stated.find(
		({ network, index, address, signature }) =>
			network === at.network &&
			index === at.index &&
			stating?.isStated(addressText({ ...at, address }), { address, signature }),
	);
	return found?.address ?? null;
}
