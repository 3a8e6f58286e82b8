/**
 * The most that the signer signs for in a UTC day, US dollars. There are three counters. Refunds return coins that the
 * signer saw arrive, and withdrawals go to the operator. So neither counts towards the cap of payouts, and each has a
 * cap of its own. Only the signer's configuration and journal decide; D1 is not read.
 */
import { type ChainConfiguration, isOnNodes } from '../chains/configuration.ts';
import type { NetworkCheck } from '../chains/port.ts';
import { usdOfCents } from '../money/usd.ts';
import type { SignerLimits } from '../ports/signer.ts';
import type { CapPurpose, Capped } from '../treasury/over-cap.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import type { SignerEnv } from './env.ts';
import type { Days } from './journal/days.ts';
import { isRefusal } from './refusal.ts';

/** For the sandbox, where no coins are at stake. On nodes there is no default: the operator must set the cap. */
const SANDBOX_CAP_USD = '1000000';
/** The default refund cap is this many times the cap of payouts. */
const REFUNDS_TO_PAYOUTS = 5;
const CENTS = 100;
/** Whole dollars or cents. The digits allow far more than any day needs, and keep the number exact. */
const USD = /^\d{1,12}(\.\d{1,2})?$/;

type CapVariable = 'SIGNER_DAILY_CAP_USD' | 'SIGNER_DAILY_REFUND_CAP_USD' | 'SIGNER_DAILY_WITHDRAW_CAP_USD';
type Configured = Pick<SignerEnv, CapVariable> & ChainConfiguration;

/** US cents a UTC day. */
type Caps = Readonly<Record<CapPurpose, number>>;

/** The caps, or why nothing is signed. */
export function capsOf(env: Configured): Caps | SignerRefusal {
	const isSet = Boolean(env.SIGNER_DAILY_CAP_USD?.trim());
	if (!isSet && isOnNodes(env)) return { kind: 'cap-not-set', variable: 'SIGNER_DAILY_CAP_USD' };
	const payout = centsOf(isSet ? env.SIGNER_DAILY_CAP_USD : SANDBOX_CAP_USD);
	if (payout === null) return invalid('SIGNER_DAILY_CAP_USD');
	const own = (name: CapVariable, fallback: number) => (env[name]?.trim() ? centsOf(env[name]) : fallback);
	const refund = own('SIGNER_DAILY_REFUND_CAP_USD', payout * REFUNDS_TO_PAYOUTS);
	if (refund === null) return invalid('SIGNER_DAILY_REFUND_CAP_USD');
	const withdrawal = own('SIGNER_DAILY_WITHDRAW_CAP_USD', payout);
	return withdrawal === null ? invalid('SIGNER_DAILY_WITHDRAW_CAP_USD') : { payout, refund, withdrawal };
}

const invalid = (variable: CapVariable): SignerRefusal => ({ kind: 'cap-invalid', variable });

/** US cents; null where the text is no amount of US dollars. */
export function centsOf(text = ''): number | null {
	return USD.test(text.trim()) ? Math.round(Number(text.trim()) * CENTS) : null;
}

/** Why `cents` more would be too much for one counter of a day; null if they are not. Pure. */
export function capRefusal(capped: Capped, capCents: number, usedCents: number, cents: number): SignerRefusal | null {
	if (usedCents + cents <= capCents) return null;
	if (cents > capCents) return { kind: 'above-daily-cap', ...capped, cents, capCents };
	return { kind: 'daily-cap', ...capped, cents, usedCents, capCents };
}

/** The caps of the configuration, against what the journal has counted. */
export function dailyCaps(env: Configured, days: Pick<Days, 'signedOn'>) {
	const caps = capsOf(env);
	return {
		/** Why nothing at all is signed; null if the caps are set. */
		unset: () => (isRefusal(caps) ? caps : null),
		/** `day`: UTC, `YYYY-MM-DD`. */
		refusal: (purpose: CapPurpose, day: string, cents: number): SignerRefusal | null =>
			isRefusal(caps) ? caps : capRefusal({ purpose }, caps[purpose], days.signedOn(purpose, day), cents),
		/** For `network check`, of a network on nodes. */
		check: (): NetworkCheck => ({ what: 'daily cap', ok: !isRefusal(caps), detail: detailOf(caps) }),
		/** @see SignerService */
		limits(day: string): SignerLimits {
			const { payout, refund } = isRefusal(caps) ? { payout: 0, refund: 0 } : caps;
			return {
				day,
				payoutCapUsd: payout / CENTS,
				payoutUsedUsd: days.signedOn('payout', day) / CENTS,
				refundCapUsd: refund / CENTS,
				refundUsedUsd: days.signedOn('refund', day) / CENTS,
			};
		},
	};
}

const detailOf = (caps: Caps | SignerRefusal): string =>
	isRefusal(caps)
		? refusalText(caps)
		: `${usdOfCents(caps.payout)} USD a day for payouts, ${usdOfCents(caps.refund)} USD for refunds`;
