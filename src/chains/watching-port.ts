/** The means that a family needs which finds payments to us by itself: a place for what it has read, and the signer. */

/** A coin of our wallets that a block holds and none spends. */
export interface WalletCoin {
	readonly keyImage: string;
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

/** A family that keeps what it has read gets a place for it. */
export interface Keeping {
	readonly storage: DurableObjectStorage;
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
