/**
 * Calls of other Workers to the signer, over a service binding or the link: addresses and signatures, never a key. Its callers
 * are deployed first, so for some minutes they run different versions (book: contributing, "Two versions at once").
 */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { WalletCoins } from '../chains/watching-port.ts';
import type { Told } from '../crypto/key-proof.ts';
import type { PayoutTerms, SealedAddress } from '../orders/seal.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { Answered } from '../treasury/each-network.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type { ClaimAnswer, SentClaim } from '../treasury/sent-claim.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { AuditedSigner } from './audit.ts';
import type { CopiedSigner, JournalState } from './copy.ts';
import type { HeadSigner } from './heads.ts';
import type { Housed } from './house.ts';
import type { ConfigurationProblem } from './keeper.ts';
import type { PersonsSigner, PersonsState } from './persons.ts';
import type { PromisingSigner } from './promises.ts';
import type { ReservesSigner } from './reserves.ts';

export interface Signed {
	readonly raw: string;
	readonly txId: string;
	/** The base units of a sweep that arrive, which only the signer knows. */
	readonly amount?: bigint;
}

/**
 * A network agent's memory of the signer, in its own storage: neither D1 nor the signer's journal can be set back
 * together with it.
 */
export interface Remembered {
	/** Entries that the journal had when the agent asked last. */
	readonly entries: number;
	/** One above the highest derivation index that the agent ever received. */
	readonly nextIndex: number;
}

/** The signer tells it to an agent, which remembers it before it does anything with the rest of the answer. */
export interface Answer<T> {
	readonly entries: number;
	readonly answer: T;
}

export type SignOutcome =
	| { readonly payoutId: string; readonly signed: Signed }
	| { readonly payoutId: string; readonly refused: SignerRefusal };

/** `txId`: the version that the caller believes to be the newest. */
export interface StuckTransaction {
	readonly payoutId: string;
	readonly txId: string;
}

export type BumpOutcome =
	| { readonly payoutId: string; readonly replaced: { readonly raw: string; readonly txId: string } }
	| { readonly payoutId: string; readonly refused: SignerRefusal };

/** A transaction whose nonce or coins another one took, as the caller's node says. */
export interface OvertakenTransaction {
	readonly payoutId: string;
	/** The signed bytes that the caller has, the address that signed it, and what it pays. */
	readonly raw: string;
	readonly from: string;
	/** `amount`: base units. */
	readonly terms: { readonly asset: AssetId; readonly to: string; readonly amount: string };
	/** The other transaction. */
	readonly txId: string;
}

export interface OvertakenAnswer {
	/** Another transaction took the nonce or the coins, and is final, by the signer's own node. */
	readonly isOvertaken: boolean;
	/**
	 * A version of it that is final, by the signer's own node: it has arrived. Without bytes where a journal of before made it,
	 * which this one has forgotten.
	 */
	readonly version?: { readonly raw: string; readonly txId: string };
}

/** The signer's cap for a UTC day, and what it has signed for today: US dollars, exact to the cent. */
export interface SignerLimits {
	/** The UTC day, `YYYY-MM-DD`. */
	readonly day: string;
	/** Payouts, partners' earnings, gas, and the fees of all; 0 where nothing is signed. */
	readonly payoutCapUsd: number;
	readonly payoutUsedUsd: number;
	/** Refunds and their fees: coins that the signer saw arrive. */
	readonly refundCapUsd: number;
	readonly refundUsedUsd: number;
}

/** With the number of entries of the signer's journal: who compares it sees soon that it is another journal. */
export interface SignerToday extends SignerLimits {
	readonly entries: number;
}

/** Which keys it has, without showing one. */
export interface KeysIdentity {
	/** The name of the deployment, or that it has none. */
	readonly deployment: Told;
	/** BIP-32 fingerprint of the SEED. */
	readonly seed: Told;
	/** `sealKeyProof` of the challenge. */
	readonly sealKey: Told;
}

export interface SignerIdentity extends KeysIdentity {
	/** The state that only the signer itself can tell. */
	readonly state: SignerState;
}

export interface SignerState extends Housed {
	/** Unix milliseconds, by the signer's clock. */
	readonly at: number;
	/** The problems of the signer's variables. */
	readonly problems: readonly ConfigurationProblem[];
	readonly journal: JournalState;
	/** Null where the variable is malformed. */
	readonly passkeys: PersonsState | null;
	/** The version of the code that the vault runs. */
	readonly version: CodeVersion;
	/** The version that new calls reach; it differs while the vault, which is busy, still runs the older one. */
	readonly newestVersion: CodeVersion;
}

/** An address that withdrawals from a network's hot wallet may go to. US cents of today, in UTC, and without fees. */
export interface WithdrawalAddress {
	readonly name: string;
	readonly address: string;
	/** The most of a day; null where the cap of all withdrawals is the only one. */
	readonly capCents: number | null;
	readonly usedCents: number;
}

/** The first is the one that is meant where none is named. */
export type WithdrawalAddresses =
	| { readonly addresses: readonly WithdrawalAddress[] }
	| { readonly refused: SignerRefusal };

export interface SignerService
	extends CopiedSigner,
		AuditedSigner,
		HeadSigner,
		PromisingSigner,
		PersonsSigner,
		ReservesSigner {
	/** Proves which keys it has, without showing one. `challenge`: any text that was not used before. */
	identify(challenge: string): Promise<SignerIdentity>;
	/** The signer's own daily caps, and what today has used of them. */
	limits(): Promise<SignerToday>;
	/**
	 * The next `count` addresses of the network, never given out before, each with its seal, above all that the caller has
	 * received.
	 */
	newAddresses(network: NetworkName, count: number, remembered: Remembered): Promise<SealedAddress[]>;
	/** Every agent's first question, and again when the journal's number is another one: the hot wallet's address. */
	greet(network: NetworkName, remembered: Remembered): Promise<Answer<string>>;
	/** Reads on in the book of coins that the signer keeps of the network, if it keeps one. @throws ChainUnavailable */
	readOn(network: NetworkName): Promise<void>;
	/** Pay-in addresses of the network that the signer has derived, in their order, those after this one: a page. */
	payInAddresses(network: NetworkName, after: string): Promise<string[]>;
	/** The hot wallet's address. */
	hotAddress(network: NetworkName): Promise<string>;
	/** With which an agent finds what is paid to us on a chain that hides it, hexadecimal. It spends nothing. */
	viewKey(network: NetworkName): Promise<string>;
	/** The coins of the signer's wallets on such a chain, and what they have sent in blocks from `since` on. */
	walletCoins(network: NetworkName, since: number): Promise<WalletCoins>;
	/** Where withdrawals from the network's hot wallet may go; only the signer's configuration has it. */
	withdrawalAddresses(network: NetworkName): Promise<WithdrawalAddresses>;
	/** Asks the signer's own nodes what must be true before coins move there. */
	check(network: NetworkName): Promise<NetworkCheck[]>;
	/** Judges and signs transactions of one network, by their ids in D1; one outcome each, in order. */
	sign(network: NetworkName, payoutIds: readonly string[], remembered: Remembered): Promise<Answer<SignOutcome[]>>;
	/**
	 * Gives up a planned transaction: from then on it is never signed. `orderId`: of an order's payout, then no other
	 * payout of the order is signed either; null of everything else. Null where it is given up, else why not: it, or
	 * another payout of the order, is signed already, or the chain may hold an older one. Safe to repeat.
	 */
	giveUp(payoutId: string, orderId: string | null): Promise<SignerRefusal | null>;
	/**
	 * Gives up a payout of a partner's earnings: from then on it is never signed. False where it is signed already.
	 * Like the next method it can only ever make the service pay less.
	 */
	withdrawEarnings(payoutId: string): Promise<boolean>;
	/**
	 * A partner's earnings go to this address, and to none that was set before. False where it is one of
	 * ours, or another one was set later: D1, which says so, was set back. Who calls has checked the seal.
	 */
	takePayoutAddress(terms: PayoutTerms): Promise<boolean>;
	/**
	 * The operator has paid for these orders by hand, as this payout: it is given up, and what was earned with them is
	 * never paid. False, and nothing is written, where the signer has signed for one of them.
	 */
	earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean>;
	/**
	 * Makes other versions of the same payments: with a higher fee from the same coins or nonce, or again where the earlier
	 * one can no longer be in any block. One outcome each, in order. A repeated call with the earlier version gets the same
	 * new version.
	 */
	bump(
		network: NetworkName,
		stuck: readonly StuckTransaction[],
		remembered: Remembered,
	): Promise<Answer<BumpOutcome[]>>;
	/** Can this transaction never arrive? Then a move between our own wallets counts as failed. Safe to repeat. */
	overtaken(network: NetworkName, transaction: OvertakenTransaction): Promise<OvertakenAnswer>;
	/**
	 * Why nobody may pay by hand what this transaction should have paid: the chain holds, or may hold, another payment of it.
	 * Null where it holds none.
	 */
	settleRefusal(payoutId: string, orderId: string | null): Promise<SignerRefusal | null>;
	/**
	 * The operator has mended why sweeps of the asset from this address fail on chain: one more may be signed. Or its order is
	 * archived, and coins that came since are to be swept. False where that was said too often within 30 days.
	 */
	retrySweep(network: NetworkName, address: string, asset: AssetId): Promise<boolean>;
	/** The contradictions of these orders to the signer's own keys and journal, in order; null for what does not. */
	contradictions(claims: readonly OrderClaim[]): Promise<(Contradiction | null)[]>;
	/** Was it signed as these rows say? In order. At most `MOST_CLAIMS`. */
	answerClaims(claims: readonly SentClaim[]): Promise<ClaimAnswer[]>;
}

/** The signer as steps of a transaction ask it: the agent's memory goes with each call, and each answer renews it. */
export interface AskedSigner extends Pick<SignerService, 'overtaken'> {
	sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]>;
	bump(network: NetworkName, stuck: readonly StuckTransaction[]): Promise<BumpOutcome[]>;
}

/** The signer's Worker, which hands each call to its vault, and answers for several networks in one call. */
export interface SignerWorker extends SignerService {
	/** `hotAddress` of each, in order. */
	hotAddresses(networks: readonly NetworkName[]): Promise<Answered<string>[]>;
	/** `check` of each, in order. */
	checks(networks: readonly NetworkName[]): Promise<Answered<NetworkCheck[]>[]>;
}
