/** Daily caps of the signer, and how it is told that a payment is more than one of them allows. Pure. */
import { usdOfCents } from '../money/usd.ts';

/** The signer has one daily cap for refunds, one for withdrawals, and one for everything else. */
export type CapPurpose = 'payout' | 'refund' | 'withdrawal';

export interface Capped {
	readonly purpose: CapPurpose;
	/** The cap is that of one address for withdrawals, in a variable of the signer; else it is the purpose's own. */
	readonly to?: { readonly name: string; readonly variable: string };
}

/** US cents: what was to be signed for, and the cap of a UTC day. */
export interface OverCap extends Capped {
	readonly cents: number;
	readonly capCents: number;
}

const CAPS: Readonly<Record<CapPurpose, readonly [name: string, variable: string]>> = {
	payout: ['daily cap of the signer', 'SIGNER_DAILY_CAP_USD'],
	refund: ['daily refund cap of the signer', 'SIGNER_DAILY_REFUND_CAP_USD'],
	withdrawal: ['daily withdrawal cap of the signer', 'SIGNER_DAILY_WITHDRAW_CAP_USD'],
};

const capOf = ({ purpose, to }: Capped): readonly [name: string, variable: string] =>
	to ? [`daily cap of withdrawals to ${to.name}`, to.variable] : CAPS[purpose];

export function overCapText(over: OverCap & { readonly usedCents: number }): string {
	const { cents, usedCents, capCents } = over;
	const [name, variable] = capOf(over);
	const remainder = usdOfCents(Math.max(0, capCents - usedCents));
	return `${name}: ${usdOfCents(cents)} USD is more than is left today, ${remainder} USD; ${usdOfCents(usedCents)} of ${usdOfCents(capCents)} USD are used; it goes on after 00:00 UTC, or raise ${variable} of the signer`;
}

export function aboveCapText(over: OverCap): string {
	const [name, variable] = capOf(over);
	return `${name}: ${usdOfCents(over.cents)} USD is more than ${usdOfCents(over.capCents)} USD, all of a day (${variable})`;
}
