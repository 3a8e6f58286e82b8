/**
 * Calls of the signer to the co-signer (book: cosigner): the same judge elsewhere, without whose signature no payment of a
 * co-signed network is valid. They cross in JSON, so all of it is text, numbers and lists.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { StatedAddress } from '../chains/address-text.ts';
import type { JudgeKeys } from '../chains/judge-keys.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { SweepRef } from '../chains/signing-port.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { Confirmation } from './persons.ts';
import type { ReservesSigner } from './reserves.ts';
import type { KeysIdentity, Signed, StuckTransaction } from './signer.ts';

/** Beside rows that name deposits. */
export interface Proofs {
	/** The signer's sweeps of the orders' pay-in addresses, and gas to them. `amount`: base units. */
	readonly sweeps: readonly (Omit<SweepRef, 'amount'> & { readonly amount: string })[];
	/** The pay-in addresses of the rows that their own keys state, because the co-signer cannot derive them. */
	readonly stated: readonly StatedAddress[];
}

/** One transaction that is to be signed, as the signer has it. The co-signer believes none of it. */
export interface Cosigning extends Proofs, Seen {
	readonly network: NetworkName;
	readonly payoutId: string;
	/** The rows that name it, as the signer got them (`signer/claims.ts`). */
	readonly claims: unknown;
	/** The transaction without signatures, as text of its family. */
	readonly draft: string;
}

/** Payouts that the signer signed alone: a few of those whose earnings are to be paid. */
export interface ShownPayouts extends Proofs, Seen {
	/** The network that pays the earnings. */
	readonly network: NetworkName;
	/** As `Cosigning.claims`. */
	readonly claims: unknown;
	/** All orders whose earnings are to be paid, and that it may not know. */
	readonly orderIds: readonly string[];
}

/** Tells an older or another journal: it began when it did, and its entries only grow. */
export interface JournalMark {
	readonly begunAt: number;
	readonly entries: number;
}

/** The co-signer's journal as the signer knows it; null where it knows none, or a person accepts another one. */
export interface Seen {
	readonly seen: JournalMark | null;
}

/** `journal`: that of the co-signer, which has this signature. */
export interface Cosigned extends Signed {
	readonly journal: JournalMark;
}

/** Its keys on a network that it judges. */
export interface JudgedNetwork {
	readonly network: NetworkName;
	readonly isCosigned: boolean;
	/** The account or address that both pay from, as it derives it. */
	readonly hotAddress: string;
	/** Null where no other judge can derive addresses from them. */
	readonly keys: JudgeKeys | null;
}

export interface CosignerIdentity extends KeysIdentity {
	readonly networks: readonly JudgedNetwork[];
}

/** `signReserves`: its half of each signature, over the text that it makes for itself. */
export interface Cosigner extends ReservesSigner {
	/** Proves which keys it has, without showing one. */
	identify(challenge: string): Promise<CosignerIdentity>;
	/** As the signer's, by its own nodes. */
	check(network: NetworkName): Promise<NetworkCheck[]>;
	/**
	 * The addresses from index `first` on, and the hot wallet's, are about to be given out. It derives them itself, and its own
	 * nodes watch them from now on. False where it does not run the network. @throws TypeError where it derives others: coins
	 * that came there would be lost. Pay-in addresses that their own keys state it derives none of
	 */
	announce(network: NetworkName, first: number, addresses: readonly string[], hotAddress: string): Promise<boolean>;
	/**
	 * Judges the transaction for itself, and signs the draft. Asked again, it gives the same answer, whatever the draft:
	 * one payment has one transaction. The signer's signature is missing in it. A sweep is judged again each time.
	 */
	sign(asked: Cosigning): Promise<Cosigned | SignerRefusal>;
	/**
	 * Judges shown payouts as its own ones, except that it signs nothing: their deposits are paid for from now on, and their
	 * earnings known. Answers which of the orders it still does not know, or why it takes one of the payouts for none.
	 */
	takePayouts(shown: ShownPayouts): Promise<readonly string[] | SignerRefusal>;
	/** As the signer's `bump`, of one transaction. `draft`: the new version. */
	bump(network: NetworkName, stuck: StuckTransaction & Seen, draft: string): Promise<Cosigned | SignerRefusal>;
	/** As the signer's `giveUp`: what it has signed it does not give up, because the signer may have its answer. */
	giveUp(payoutId: string, orderId: string | null, seen: Seen['seen']): Promise<SignerRefusal | null>;
	/** Takes what persons have signed with their passkeys, after it has verified that for itself: their names, as the signer's. */
	confirm(confirmation: Confirmation): Promise<readonly string[] | SignerRefusal>;
}

const CALLS: Readonly<Record<keyof Cosigner, true>> = {
	identify: true,
	check: true,
	announce: true,
	sign: true,
	takePayouts: true,
	bump: true,
	giveUp: true,
	confirm: true,
	signReserves: true,
};

/** No other one is reached over the link. */
export const COSIGNER_CALLS = Object.keys(CALLS) as (keyof Cosigner)[];
