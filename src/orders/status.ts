/**
 * The statuses that partners see (book: contract, "States and transitions"). Each line says where the status leads.
 * Pure data.
 */

export const ORDER_STATUSES = [
	/** Awaiting the deposit. Deposit seen → PENDING; window closes → EXPIRED. */
	'NEW',
	/** Deposit seen. Final and in bounds → EXCHANGE; final and not → EMERGENCY; dropped for 24 h → EXPIRED. */
	'PENDING',
	/** The payout is owed and under way. Broadcast → DONE; a payout that is blocked stays here until the next try. */
	'EXCHANGE',
	/** Payout broadcast. Terminal. */
	'DONE',
	/** No longer actionable. A late deposit → EMERGENCY. */
	'EXPIRED',
	/** A choice is required. EXCHANGE chosen, or topped up into bounds → EXCHANGE; operator finalises → EXPIRED. */
	'EMERGENCY',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The values of `emergency.status` in use. */
export type EmergencyReason = 'LIMIT' | 'EXPIRED';
