/** What the objects that watch a chain give a family that finds payments to us by itself. */

/** A coin of our wallets that a block holds and none spends. */
export interface WalletCoin {
	/** Empty where it is not known yet: then nothing has spent it. */
	readonly keyImage: string;
	readonly amount: bigint;
	/** May the chain spend it in the next block? */
	readonly unlocked: boolean;
	/** Is it reserved for what is signed? */
	readonly frozen: boolean;
}

/** What the signer's wallets hold, on a chain that hides it from everybody else. */
export interface WalletCoins {
	/** That were read. */
	readonly blocks: number;
	readonly coins: readonly WalletCoin[];
	/** Ids of the wallet's own transactions in blocks from the asked one on. */
	readonly sent: readonly string[];
}

/** What the object that watches gives a family that keeps what it has read. */
export interface Keeping {
	readonly storage: DurableObjectStorage;
}

/** What an agent gives beside it. */
export interface Watching extends Keeping {
	/** Above the highest derivation index of an address that was ever given out. */
	addressesBelow(): number;
	/** Hexadecimal. */
	viewKey(): Promise<string>;
	/** `since`: the lowest height of `sent`. */
	walletCoins(since: number): Promise<WalletCoins>;
}
