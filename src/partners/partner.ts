/** What is known of a partner by name: secrets, reference codes, and a call's admitted sender. Pure. */

export const SECRET_NAMES = ['apiSecret', 'webhookSecret'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** Reference codes are one segment of `X-API-KEY`, so they hold no dot (book: contract, "Reference code"). */
export const CODE_PATTERN = /^[A-Za-z0-9_-]{4,32}$/;

/** How often a partner's earnings are paid by themselves. */
export const AUTO_PAYOUTS = ['none', 'daily', 'weekly', 'monthly'] as const;
export type AutoPayout = (typeof AUTO_PAYOUTS)[number];

/** Who a signed call comes from, as the gate admitted it. */
export interface AdmittedPartner {
	readonly id: string;
	/** What applies when the body names no afftax: the code's, or where that is 0 or absent the partner's. */
	readonly defaultAfftaxBps: number;
	/** The reference code that the call carried; null without one. Orders are counted by it. */
	readonly referenceCode: string | null;
	/** Names the secrets of the moment at which the call was verified: `keys/rotate` replaces those and no others. */
	readonly secretsVersion: string;
	/** Absent where a passkey confirmed the call, not a signature: no gate counted it. */
	readonly budget?: Budget;
}

/** The partner's weight in the window, after this call. */
export interface Budget {
	readonly limit: number;
	readonly remaining: number;
}
