/** A transaction that a payer reports as lost, and the networks' answers. */

/**
 * `coins`: it is a deposit or a stray of the order. `late`: it came after the address was closed. `listed`: on this
 * network every payment shows by itself, so there was nothing to look up. `silent`: a network did not answer.
 */
export type ReportSays = 'coins' | 'late' | 'pending' | 'nothing' | 'unknown' | 'listed' | 'silent';

export interface PayerReport {
	readonly txId: string;
	readonly at: number;
	readonly says: ReportSays;
}
