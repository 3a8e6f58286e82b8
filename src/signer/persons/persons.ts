/**
 * The one gate of all that moves the reserve outside of orders (`treasury/moves.ts`): a person has signed exactly that, with a
 * passkey of the signer's own configuration, for this deployment, once, within minutes. Two different persons sign what is
 * worth more than the limit, by the signer's own prices; what one person confirms alone in a UTC day adds up. A move that
 * names no amount counts as above it. Where no passkey is configured, nobody is asked.
 */
import { base64urlnopad } from '@scure/base';
import { isAssetId } from '../../catalog/assets.ts';
import { counterOfSigned } from '../../crypto/webauthn.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { MINUTE_MILLISECONDS, utcDay } from '../../platform/time.ts';
import type { AskedPersons, Confirmation, PasskeyAnswer, PersonsState } from '../../ports/persons.ts';
import type { SignerService } from '../../ports/signer.ts';
import type { ConfirmedCall } from '../../ports/signer-calls.ts';
import { askedText, giveUpMove, type Move, type MoveKind, restoredMove, sumOf } from '../../treasury/moves.ts';
import type { PasskeyWhy } from '../../treasury/passkey-refusal.ts';
import { refusalText, type SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { SignerEnv } from '../env.ts';
import type { ConfirmedMoves } from '../journal/confirmed.ts';
import type { PriceWatch } from '../price-watch.ts';
import { isRefusal } from '../refusal.ts';
import { type Configured, configuredPasskeys, type Passkey, personsOf } from './passkeys.ts';

const LIVES_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** The most that one confirmation has. */
const MOST_MOVES = 20;
const MOST_ANSWERS = 2;

/** Plain decimals, as `fromBaseUnits` writes them. */
const COINS = /^\d{1,40}(\.\d{1,40})?$/;

/** Confirmed once for good: they name a transaction that is signed once, or what came to an address. Others follow at once. */
const LASTS: ReadonlySet<MoveKind> = new Set(['withdrawal', 'return']);

const refused = (why: PasskeyWhy): SignerRefusal => ({ kind: 'passkey-refused', why });

interface Known {
	readonly env: SignerEnv;
	readonly confirmed: ConfirmedMoves;
	readonly prices: PriceWatch;
}

export class Persons {
	readonly #known: Known;

	constructor(known: Known) {
		this.#known = known;
	}

	/** Why the move may not be done; null where it may. */
	refusal(move: Move): SignerRefusal | null {
		const configured = configuredPasskeys(this.#known.env);
		if (isRefusal(configured)) return configured;
		if (configured.passkeys.length === 0) return null;
		const at = this.#known.confirmed.confirmedAt(move);
		const isConfirmed = at !== null && (LASTS.has(move[0]) || at + LIVES_MILLISECONDS > Date.now());
		return isConfirmed ? null : { kind: 'not-confirmed', move: move[0] };
	}

	async ask(moves: readonly Move[]): Promise<AskedPersons | SignerRefusal | null> {
		const { env } = this.#known;
		const configured = configuredPasskeys(env);
		if (isRefusal(configured)) return configured;
		const { passkeys } = configured;
		if (passkeys.length === 0) return null;
		const now = Date.now();
		const cents = await this.#centsOf(moves, configured);
		if (typeof cents !== 'number') return cents;
		return {
			asked: {
				deployment: env.DEPLOYMENT ?? '',
				nonce: crypto.randomUUID(),
				expiresAt: now + LIVES_MILLISECONDS,
				moves,
			},
			persons: this.#personsFor(cents, configured, now),
			passkeys: passkeys.map(({ publicKey: _, ...name }) => name),
		};
	}

	/** Returns who has signed. Atomic: the last checks and the record are one synchronous turn. */
	async confirm({ asked, answers }: Confirmation): Promise<readonly string[] | SignerRefusal> {
		const { env, confirmed } = this.#known;
		const configured = configuredPasskeys(env);
		if (isRefusal(configured)) return configured;
		if (configured.passkeys.length === 0) return [];
		const { nonce, expiresAt, moves } = asked;
		if (typeof nonce !== 'string' || moves.length > MOST_MOVES || answers.length > MOST_ANSWERS)
			return refused('malformed');
		const cents = await this.#centsOf(moves, configured);
		if (typeof cents !== 'number') return cents;
		const text = new TextEncoder().encode(askedText({ ...asked, deployment: env.DEPLOYMENT ?? '' }));
		const challenge = base64urlnopad.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
		const signed = new Set<string>();
		for (const answer of answers) {
			const passkey = configured.passkeys.find(({ id }) => id === answer.id);
			if (!passkey) return refused('unknown-passkey');
			const fault = await faultOf(answer, passkey, challenge);
			if (fault) return refused(fault);
			if (signed.has(passkey.person)) return refused('same-person');
			signed.add(passkey.person);
		}
		const now = Date.now();
		if (confirmed.isTaken(nonce)) return refused('replayed');
		if (!(expiresAt > now && expiresAt <= now + LIVES_MILLISECONDS)) return refused('expired');
		if (signed.size < this.#personsFor(cents, configured, now)) return refused('too-few');
		const usdCents = Number.isFinite(cents) ? cents : 0;
		confirmed.take({ nonce, moves, at: now, day: utcDay(now), persons: signed.size, usdCents });
		return [...signed];
	}

	state(): PersonsState | null {
		const configured = configuredPasskeys(this.#known.env);
		if (isRefusal(configured)) return null;
		const { passkeys } = configured;
		const twoAboveUsd = this.#known.env.OPERATOR_TWO_ABOVE_USD?.trim() || null;
		return { persons: personsOf(passkeys), passkeys: passkeys.length, twoAboveUsd };
	}

	#personsFor(cents: number, { twoAboveCents }: Configured, now: number): number {
		return this.#known.confirmed.byOneOn(utcDay(now)) + cents > twoAboveCents ? 2 : 1;
	}

	/** The worth of all in US cents, rounded down; infinity where one names no amount. Without a limit nobody asks for prices. */
	async #centsOf(moves: readonly Move[], { twoAboveCents }: Configured): Promise<number | SignerRefusal> {
		let cents = 0;
		if (!Number.isFinite(twoAboveCents)) return cents;
		for (const move of moves) {
			const sum = sumOf(move);
			if (!sum) cents = Number.POSITIVE_INFINITY;
			else if (!isAssetId(sum.asset) || !COINS.test(sum.amount)) return refused('malformed');
			else {
				const usd = await this.#known.prices.usd(sum.asset);
				if (isRefusal(usd)) return usd;
				cents += usdCents(decimal(sum.amount).times(usd[0]));
			}
		}
		return cents;
	}
}

/** Why the answer does not hold; null where it does. Each challenge counts once, so no counter of the device is kept. */
async function faultOf(
	answer: PasskeyAnswer,
	{ publicKey, origin }: Passkey,
	challenge: string,
): Promise<PasskeyWhy | null> {
	const expected = { challenge, origin, host: new URL(origin).hostname };
	const counter = await counterOfSigned(answer, { publicKey, counter: -1 }, expected).catch(() => 'malformed' as const);
	return typeof counter === 'number' ? null : counter;
}

/** The vault's calls that persons confirm before they are carried out. */
const MOVE_OF: { readonly [Call in ConfirmedCall]: (...given: Parameters<SignerService[Call]>) => Move } = {
	giveUp: giveUpMove,
	paidOther: (orderId, asset, txId) => ['another payment', orderId, asset, txId],
	confirmOrders: (orders, { looked, not }) => restoredMove({ orders, own: false, looked, not }),
	confirmOwn: ({ looked, not }) => restoredMove({ orders: [], own: true, looked, not }),
};

/**
 * Has each of them look its move up before anything is done, over any binding; where persons have not confirmed it,
 * it throws TypeError. `refusalOf`: why the move is not confirmed; null where it is.
 */
export function confirmFirst<Vault extends Pick<SignerService, ConfirmedCall>>(
	prototype: Vault,
	refusalOf: (vault: Vault, move: Move) => SignerRefusal | null,
): void {
	for (const [call, moveOf] of Object.entries(MOVE_OF) as [ConfirmedCall, (...given: unknown[]) => Move][]) {
		const carriedOut = prototype[call] as (...given: unknown[]) => Promise<unknown>;
		Object.defineProperty(prototype, call, {
			async value(this: Vault, ...given: unknown[]) {
				const refusal = refusalOf(this, moveOf(...given));
				if (refusal) throw new TypeError(refusalText(refusal));
				return carriedOut.apply(this, given);
			},
		});
	}
}
