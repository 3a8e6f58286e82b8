/**
 * What the signer signs for in a UTC day at most. Three counters: refunds return coins that the signer saw come in, and
 * withdrawals go to the operator, so neither takes from what payouts may cost, and each has a bound of its own. Only the signer's own configuration and journal
 * decide; D1 is not asked.
 */
import { isOnNodes } from '../chains/configuration.ts';
import type { NetworkCheck } from '../chains/port.ts';
import { decimal, usdText } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import type { SignerLimits } from '../treasury/signer-port.ts';
import type { SignerEnv } from './env.ts';
import type { Journal, Purpose } from './journal/journal.ts';

/** Of the sandbox, where no coins are at stake. Nodes have no default: how much a day may cost is the operator's to say. */
const SANDBOX_CAP_USD = '1000000';
/** The refunds' bound where none is set: this many times the payouts'. */
const REFUNDS_TO_PAYOUTS = 5;
const CENTS = 100;
/** Whole dollars or cents; far above any day, and far below where a number is no longer exact. */
const USD = /^\d{1,12}(\.\d{1,2})?$/;

type Configured = Pick<
	SignerEnv,
	'SIGNER_DAILY_CAP_USD' | 'SIGNER_DAILY_REFUND_CAP_USD' | 'SIGNER_DAILY_WITHDRAW_CAP_USD'
>;

export interface CapRefusal {
	readonly refused: string;
	/** Another day may bear it; else a person must raise the cap. */
	readonly again: boolean;
}

interface Caps {
	/** USD cents a UTC day. */
	readonly payout: number;
	readonly refund: number;
	readonly withdrawal: number;
}

/** The caps in cents, or why nothing is signed, naming the variable. */
export function capsOf(env: Configured & Parameters<typeof isOnNodes>[0]): Caps | string {
	const isSet = Boolean(env.SIGNER_DAILY_CAP_USD?.trim());
	if (!isSet && isOnNodes(env)) return 'SIGNER_DAILY_CAP_USD is not set: the signer signs nothing until it is';
	const payout = centsOf(isSet ? env.SIGNER_DAILY_CAP_USD : SANDBOX_CAP_USD);
	if (payout === null) return 'SIGNER_DAILY_CAP_USD is no amount of US dollars: the signer signs nothing until it is';
	const own = (name: 'SIGNER_DAILY_REFUND_CAP_USD' | 'SIGNER_DAILY_WITHDRAW_CAP_USD', fallback: number) =>
		env[name]?.trim() ? centsOf(env[name]) : fallback;
	const refund = own('SIGNER_DAILY_REFUND_CAP_USD', payout * REFUNDS_TO_PAYOUTS);
	const withdrawal = own('SIGNER_DAILY_WITHDRAW_CAP_USD', payout);
	if (refund !== null && withdrawal !== null) return { payout, refund, withdrawal };
	const wrong = refund === null ? 'SIGNER_DAILY_REFUND_CAP_USD' : 'SIGNER_DAILY_WITHDRAW_CAP_USD';
	return `${wrong} is no amount of US dollars: the signer signs nothing until it is`;
}

function centsOf(text = ''): number | null {
	return USD.test(text.trim()) ? Math.round(Number(text.trim()) * CENTS) : null;
}

const NAMES: Readonly<Record<Purpose, readonly [string, keyof Configured]>> = {
	payout: ['daily cap of the signer', 'SIGNER_DAILY_CAP_USD'],
	refund: ['daily refund cap of the signer', 'SIGNER_DAILY_REFUND_CAP_USD'],
	withdrawal: ['daily withdrawal cap of the signer', 'SIGNER_DAILY_WITHDRAW_CAP_USD'],
};

/** Why `cents` more would be too much for one counter of a day; null where they are not. Pure. */
export function capRefusal(purpose: Purpose, caps: Caps, used: number, cents: number): CapRefusal | null {
	const cap = caps[purpose];
	if (used + cents <= cap) return null;
	const [name, variable] = NAMES[purpose];
	if (cents > cap)
		return {
			refused: `${name}: ${usd(cents)} USD is more than ${usd(cap)} USD, all of a day (${variable})`,
			again: false,
		};
	const left = Math.max(0, cap - used);
	return {
		refused: `${name}: ${usd(cents)} USD is more than is left today, ${usd(left)} USD; ${usd(used)} of ${usd(cap)} USD are used`,
		again: true,
	};
}

const usd = (cents: number): string => usdText(decimal(fromBaseUnits(BigInt(cents), 2)));

export class DailyCaps {
	readonly #env: SignerEnv;
	readonly #journal: Journal;

	constructor(env: SignerEnv, journal: Journal) {
		this.#env = env;
		this.#journal = journal;
	}

	/** Why nothing at all is signed; null where the caps decide. */
	unset(): CapRefusal | null {
		const caps = capsOf(this.#env);
		return typeof caps === 'string' ? { refused: caps, again: false } : null;
	}

	/** `day`: UTC. */
	refusal(purpose: Purpose, day: string, cents: number): CapRefusal | null {
		const caps = capsOf(this.#env);
		if (typeof caps === 'string') return { refused: caps, again: false };
		return capRefusal(purpose, caps, this.#journal.signedOn(purpose, day), cents);
	}

	/** For `network check`, of a network on nodes. */
	check(): NetworkCheck {
		const caps = capsOf(this.#env);
		const isUnset = typeof caps === 'string';
		const detail = isUnset ? caps : `${usd(caps.payout)} USD a day for payouts, ${usd(caps.refund)} USD for refunds`;
		return { what: 'daily cap', ok: !isUnset, detail };
	}

	/** @see SignerService */
	limits(day: string): SignerLimits {
		const caps = capsOf(this.#env);
		const { payout, refund } = typeof caps === 'string' ? { payout: 0, refund: 0 } : caps;
		return {
			day,
			payoutCapUsd: payout / CENTS,
			payoutUsedUsd: this.#journal.signedOn('payout', day) / CENTS,
			refundCapUsd: refund / CENTS,
			refundUsedUsd: this.#journal.signedOn('refund', day) / CENTS,
		};
	}
}
