/** The payment that one of our transactions brought to an address. */
export interface SentPayment {
	readonly txId: string;
	/** The address as it was asked for. */
	readonly to: string;
	/** Base units. */
	readonly amount: bigint;
}
