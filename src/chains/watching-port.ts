/** The means that a family needs which finds payments to us by itself: a place for what it has read, and the signer. */

/** A pay-in address of ours; the hot wallet has index -1. */
export interface PoolAddress {
	readonly index: number;
	readonly address: string;
}

/** A coin of our wallets that a block holds and none spends. */
export interface WalletCoin {
	readonly keyImage: string;
	/** The transaction that made it, and the subaddress of account 0 that it was paid to. */
	readonly txId: string;
	readonly minor: number;
	readonly amount: bigint;
	/** May the chain spend it in the next block? */
	readonly unlocked: boolean;
	/** Is it reserved for what is signed? */
	readonly frozen: boolean;
}

/** The coins of the signer's wallets, on a chain that hides them from everybody else. */
export interface WalletCoins {
	/** That were read. */
	readonly blocks: number;
	readonly coins: readonly WalletCoin[];
	/** Ids of the wallet's own transactions in blocks from the asked one on. */
	readonly sent: readonly string[];
}

/** The state before a book of coins that is found empty. */
export interface Before {
	/** There was another book, which is lost. */
	readonly isAgain: boolean;
	/** The first height to read; null for the next block. */
	readonly from: number | null;
	/** Our own that were given out. */
	readonly addresses: readonly string[];
}

/** A family that keeps what it has read gets a place for it. */
export interface Keeping {
	readonly storage: DurableObjectStorage;
	/** Asked where the book is empty. */
	readonly before: () => Promise<Before>;
	/** Nothing may be written now: the storage is being copied. */
	readonly isHeld: () => boolean;
}

/** An agent gives more beside it. */
export interface Watching extends Keeping {
	/** Above the highest derivation index of an address that was ever given out. */
	addressesBelow(): number;
	/** Hexadecimal. */
	viewKey(): Promise<string>;
	/** `since`: the lowest height of `sent`. */
	walletCoins(since: number): Promise<WalletCoins>;
}
