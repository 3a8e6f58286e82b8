/** The keys by which one of two judges knows the other one (book: cosigner). */

/**
 * The public keys of the other judge on one network (book: cosigner): BIP32 texts of the parents of its pay-in keys, which are
 * the children by index, and of its hot key, which is child 0.
 */
export interface JudgeKeys {
	/** Empty where each pay-in key states its address itself (`ChainSigner.stating`). */
	readonly payIn: string;
	/** There the hot wallet's address; where both sign, this judge's key and a signature of it. */
	readonly hot: string;
}

/** Two judges decide the payments of the deployment, and each is configured with the other's keys. */
export interface Judges {
	readonly role: 'signer' | 'cosigner';
	/** Does a payment of this network need both signatures? Else the co-signer only derives the signer's addresses here. */
	readonly isCosigned: boolean;
	readonly other: JudgeKeys;
}
