/** What one of our transactions brought to an address. */
export interface SentPayment {
	readonly txId: string;
	/** Base units. */
	readonly amount: bigint;
}
