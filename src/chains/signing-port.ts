/**
 * The interface that each chain family implements for the signer Worker. A `ChainSigner` holds keys and uses the
 * signer's own nodes. It stores nothing: `SigningState` says what earlier signatures reserved. Amounts are base units.
 * Every method that queries a node may throw `ChainUnavailable`.
 */
import type { AssetId, TokenId } from '../catalog/assets.ts';
import type { Network } from '../catalog/networks.ts';
import type { AddressText, StatedAddress } from './address-text.ts';
import type { ChainConfiguration, NodeChain, NodeConfig } from './configuration.ts';
import type { JudgeKeys, Judges } from './judge-keys.ts';
import type { WalletContainer } from './monero/wallet-container.ts';
import type { DepositRef, Depth, Look, NetworkCheck } from './port.ts';
import type { Reservation } from './reservations.ts';
import type { ReserveText } from './reserve-text.ts';
import type { Keeping, Watching } from './watching-port.ts';

export interface Payment {
	/**
	 * Our own id. On a network with neither coins nor nonces, it makes two equal payments two different transactions.
	 */
	readonly id: string;
	readonly asset: AssetId;
	readonly to: string;
	readonly amount: bigint;
}

export type PaidTerms = Omit<Payment, 'id'>;

/**
 * The reservations of our signed transactions of one network. `has` covers all of it. Iteration yields only what a
 * family must go through: the highest nonces, or what has not expired. It yields no coins.
 */
export interface Spent extends Iterable<Reservation> {
	has(reservation: Reservation): boolean;
}

/** The facts of earlier signatures from which a family chooses coins or a nonce. */
export interface SigningState {
	/** Nothing of this may be spent again. */
	readonly spent: Spent;
	/** Derivation index of each of our pay-in addresses among `addresses`; others are absent. */
	indexesOf(addresses: readonly string[]): ReadonlyMap<string, number>;
	/** Is a transaction, which is no version of what is replaced, on record as another payment? Only `replace` asks. */
	isSigned?(txId: string): boolean;
}

export interface SignedTransaction {
	/** The form that `Chain.broadcast` takes; of a draft, its family's own text. */
	readonly raw: string;
	readonly txId: string;
	/** The reservations of this transaction. */
	readonly spends: readonly Reservation[];
	/** Highest network fee that it may pay, in the native coin's base units. */
	readonly fee: bigint;
}

export interface Sweep {
	/** Our own id. */
	readonly id: string;
	readonly asset: AssetId;
	/** Derivation index of the pay-in address. */
	readonly index: number;
	/**
	 * Most base units of the native coin that may leave the address, the fee included. Absent: all. Families without
	 * `Chain.sweeping.onlyRecorded` take all in any case.
	 */
	readonly atMost?: bigint;
	/** The last one failed on chain: this one must succeed even if somebody sends more to the address meanwhile. */
	readonly afterFailure?: boolean;
}

/** A token that is not listed goes back. */
export interface TokenReturn {
	/** Our own id. */
	readonly id: string;
	readonly token: string;
	/** Derivation index of the pay-in address. */
	readonly index: number;
	readonly to: string;
}

/**
 * One of our sweeps from a pay-in address, gas of ours to it, or the return of a token from it. It counts only if the best
 * chain holds it.
 */
export interface SweepRef {
	readonly kind: 'sweep' | 'gas';
	readonly txId: string;
	readonly address: string;
	readonly asset: AssetId | TokenId;
	/** Base units that arrived. */
	readonly amount: bigint;
}

/** A transaction that lacks a signature of this judge. */
export interface Draft {
	/** As `sign`, `replace` or `consolidate` made it; or with the signatures of the other judge, who answered with it. */
	readonly raw: string;
	/** The payment that it has to be; null of a consolidation. */
	readonly payment: Payment | null;
	/** The version that it replaces; null of the first one. */
	readonly previous: SignedTransaction | null;
	/** Present of a sweep whose fee the hot wallet pays; `payment` is null then. */
	readonly sweep?: SweepDraft;
}

export interface SweepDraft {
	readonly sweep: Sweep;
	/** The pay-in address at its index. */
	readonly address: string;
}

/** The service's own addresses on one network. */
export interface OwnAddresses {
	/** The pay-in address at a derivation index. */
	payInAddress(index: number): string;
	/** The hot wallet's address. Change goes there too. */
	hotAddress(): string;
}

export interface ChainSigner extends OwnAddresses {
	/**
	 * The sum of the deposits that are deep enough on the signer's own node now. A deposit whose address, asset or
	 * amount differs from the chain's counts as zero. `sweeps`: all sweeps and gas ever signed for these addresses, for
	 * families that prove deposits by balance.
	 */
	finalAmount(
		refs: readonly DepositRef[],
		isFinal: (depth: Depth) => boolean,
		sweeps: readonly SweepRef[],
	): Promise<bigint>;
	/**
	 * Does this transaction of our wallet pay exactly that? It must have succeeded, in the best chain or the mempool of the
	 * signer's own node. On Monero the amount decides where no wallet knows any more whom it paid.
	 */
	hasPaid(txId: string, payment: PaidTerms): Promise<boolean>;
	/**
	 * The part of its view that the signer alone asks for, or that only its wallets know. Made for each call, because a signer
	 * lives long and a search is kept for some seconds: a payment of meanwhile would look unsent.
	 */
	readonly look?: Partial<Look>;
	/** The answers to an agent on a chain that hides payments from everybody else. Absent on all others. */
	readonly hidden?: {
		/** Hexadecimal. */
		viewKey(): string;
		readonly walletCoins: Watching['walletCoins'];
	};
	/** @throws InsufficientReserve, PaymentImpossible, SigningBlocked */
	sign(payment: Payment, state: SigningState): Promise<SignedTransaction>;
	/**
	 * Another version of the same payment: with the same coins or nonce and a higher fee, or, where a transaction has
	 * neither, again once the signer's own node proves that `previous` can no longer be in any block. So at most one of the
	 * two confirms. `onlyIfRefused`: null where the node would take `previous` as it is, whatever fees others pay.
	 * @throws MayStillConfirm; PaymentImpossible where no higher fee is allowed or possible
	 */
	replace(
		previous: SignedTransaction,
		payment: Payment,
		state: SigningState,
		onlyIfRefused: boolean,
	): Promise<SignedTransaction | null>;
	/**
	 * Checks, by this judge's own node, that the draft is that payment and nothing else, as `sign`, `replace` or `consolidate`
	 * might have made it, and adds this judge's signature. Present exactly where a payment needs both judges: there the
	 * others make drafts. The signer's draft has no signature, and what the co-signer returns lacks the signer's; the signer
	 * returns the whole, after it has verified the co-signer's.
	 * @throws PaymentImpossible where it is not that payment; else as `sign` and `replace`
	 */
	approve?(draft: Draft, state: SigningState): Promise<SignedTransaction & { readonly amount?: bigint }>;
	/**
	 * Does the co-signer's answer belong to this draft? Present where a judge keeps a part of its draft in memory: an answer to an
	 * earlier draft is of no use there.
	 */
	isAnswerTo?(draft: string, answer: string): boolean;
	/** Do sweeps need both judges too, because the hot wallet pays their fees? */
	readonly areSweepsShared?: boolean;
	/**
	 * The reservations of this version alone. Absent where all versions of a payment reserve the same. @throws Error on
	 * unreadable bytes
	 */
	takenBy?(version: SignedTransaction): readonly Reservation[];
	/**
	 * Moves an asset from a pay-in address to the hot wallet, and nowhere else: all that is there, or `atMost`. `amount`:
	 * what arrives there. Present exactly where `Chain.sweeping` is.
	 * @throws InsufficientReserve where the address cannot pay for it yet
	 */
	sweep?(sweep: Sweep, state: SigningState): Promise<SignedTransaction & { readonly amount: bigint }>;
	/**
	 * Sends all of a token that is not listed from a pay-in address to `to`. Present where `Look.quoteToken` is, which was asked
	 * before, and sweeps are not shared. @throws InsufficientReserve where the address cannot pay for it yet
	 */
	returnToken?(what: TokenReturn, state: SigningState): Promise<SignedTransaction & { readonly amount: bigint }>;
	/**
	 * Joins the wallet's smallest outputs into one at the hot wallet, and nowhere else; `amount`: what arrives there.
	 * Null where the signer's own node says that it is not worth its fee. Present exactly where `Chain.consolidation`
	 * is.
	 */
	consolidate?(state: SigningState): Promise<(SignedTransaction & { readonly amount: bigint }) | null>;
	/**
	 * The hot wallet's spends by the chain's word, where the journal must know it to go on: the highest nonce. For a
	 * journal that was restored and does not know its last signatures. Absent where the chain shows by itself what is
	 * spent. @throws SigningBlocked while the nodes disagree, or something is in a mempool
	 */
	spentByChain?(): Promise<readonly Reservation[]>;
	/**
	 * The wallet's signature that it holds the pay-in address at this derivation index; null: the hot wallet's. Where the address
	 * needs both judges: the co-signer's half, and of the signer the whole with that half, or null without it. Null also where only
	 * the other judge has the key. Absent on the sandbox. @throws SigningBlocked where the half is not the other's
	 */
	signReserve?(text: ReserveText, index: number | null, half?: string): Promise<string | null>;
	/** Present exactly where no other judge can derive pay-in addresses from public keys. */
	readonly stating?: {
		/** The signature of the pay-in key at this derivation index. */
		state(text: AddressText, index: number): string;
		/** By the address alone. */
		isStated(text: AddressText, stated: Pick<StatedAddress, 'address' | 'signature'>): boolean;
	};
	/**
	 * Checks what signing needs besides the chain's nodes, for `network check`. Absent where it needs nothing else.
	 */
	check?(): Promise<NetworkCheck[]>;
}

/** The parts of signing that are neither the network's nor a node's. */
export type SigningMeans = ChainConfiguration & {
	readonly keeping: Keeping;
	/** Above the highest derivation index of an address that was ever given out. */
	addressesBelow(): number;
	/** Absent where one judge decides alone. */
	readonly judges?: Judges;
	/** Monero's wallet programs, where the signer is bound to the Worker that has them in containers. */
	walletContainers?(): { readonly wallet: WalletContainer; readonly cold: WalletContainer } | undefined;
};

/** Each family's `signing.ts` exports one of these for `signing-registry.ts`. `seed`: the 64 bytes of a BIP39 mnemonic. */
export interface SigningFamily<N extends Network> {
	/** The addresses of the network's main chain. */
	addresses(seed: Uint8Array, network: N): OwnAddresses;
	/** This judge's public keys, for the other one. Absent where no other one can derive addresses of them. */
	judgeKeys?(seed: Uint8Array, network: N, chain: NodeChain, isCosigned: boolean): JudgeKeys;
	/** Is this address of the main chain of a kind that only two judges' keys make? Absent where none is. */
	isShared?(network: N, address: string): boolean;
	/**
	 * The addresses of another judge that decides alone there. Present exactly where `judgeKeys` is. Where its pay-in keys state
	 * their addresses, it derives none. @throws ConfigurationError on keys that cannot be read
	 */
	otherAddresses?(other: JudgeKeys, network: N, chain: NodeChain): OwnAddresses;
	signer(network: N, node: NodeConfig, seed: Uint8Array, more: SigningMeans): ChainSigner;
}
