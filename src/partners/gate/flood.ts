/**
 * Protects a partner's gate from forged calls. An apiKey is public, so a stranger can send calls under it with wrong
 * signatures. Each costs the gate a verification, and about a thousand a second would keep it too busy for the partner.
 * An isolate that has seen many forged calls under an apiKey therefore verifies calls under it by itself for a while, and
 * passes only the authentic ones to the gate, which still decides.
 *
 * An authentic call is never refused here because of a flood: a call is refused only when it does not match the secret
 * that D1 has, read after the call arrived. While a secret is being replaced, both values count as authentic.
 *
 * Without a flood this costs a call one lookup in a map: no read, no HMAC.
 */
import { hmacMatches } from '../../crypto/hmac.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { JoinedCalls } from '../../platform/joined.ts';
import { within } from '../../platform/within.ts';
import type { SignedCall } from '../../ports/gates.ts';
import { type Secret, signedBytes } from './verdict.ts';

/** Wrongly signed calls under one apiKey, in one isolate, after which it verifies by itself. */
const MAX_FORGED = 20;
/** They are counted over this long. */
const COUNTED_MILLISECONDS = 10_000;
/** How long it goes on verifying after the last of them. */
const GUARDED_MILLISECONDS = 60_000;
/** A secret is read from D1 at most this often for each apiKey. Wrongly signed calls wait for the next read, for so long. */
const READ_MILLISECONDS = 500;
const WAIT_MILLISECONDS = 3_000;
/** Partners that are counted at once; the one that was quiet for longest goes first. */
const MAX_PARTNERS = 1_000;

interface Guarded {
	/** Wrongly signed calls since `since`. */
	forged: number;
	since: number;
	/** Calls are verified here until then. */
	until: number;
	/** Null before the first read, and where D1 has no such partner. */
	current: Secret | null;
	/** `current` before it changed: a rotation that is not decided yet may still be undone. */
	before: Secret | null;
	/** When the read that brought `current` began, and when the last one did. */
	readAt: number;
	readingSince: number;
}

/** The secret as D1 has it now; null for a partner that is not there. */
export type ReadSecret = (partnerId: string) => Promise<Secret | null>;

export interface SecretReader {
	readonly readSecret: ReadSecret;
	/** Keeps a read going when the call that began it is cancelled: others wait for it as well. */
	readonly background: (work: Promise<unknown>) => void;
}

export class FloodGuard {
	readonly #partners = new BoundedMap<string, Guarded>(MAX_PARTNERS);
	/** One read at a time for each apiKey. */
	readonly #reads = new JoinedCalls<null, null>({ waitMilliseconds: WAIT_MILLISECONDS, mostCalls: Infinity });

	/** A call was found to be signed wrongly. */
	forged(partnerId: string, now: number): void {
		const known = this.#partners.get(partnerId) ?? newGuarded(now);
		if (now - known.since > COUNTED_MILLISECONDS) Object.assign(known, { forged: 0, since: now });
		known.forged += 1;
		if (known.forged >= MAX_FORGED) known.until = now + GUARDED_MILLISECONDS;
		// So the one that was quiet for longest goes first.
		this.#partners.set(partnerId, known);
	}

	/** Does this isolate verify calls under the partner's apiKey by itself? */
	verifies(partnerId: string, now: number): boolean {
		return (this.#partners.get(partnerId)?.until ?? 0) > now;
	}

	/** Is this call to be refused without asking the gate? False in doubt, also where D1 does not answer. */
	async isForged(
		partnerId: string,
		call: SignedCall,
		{ readSecret, background }: SecretReader,
		arrivedAt: number,
	): Promise<boolean> {
		const known = this.#partners.get(partnerId);
		if (!known || !this.verifies(partnerId, arrivedAt)) return false;
		if (await matches(known, call)) return false;
		const send = async (calls: readonly null[]) => {
			await readWhenDue(known, () => readSecret(partnerId));
			return calls;
		};
		const reading = this.#reads.ask(partnerId, null, { send, background }).then(() => true);
		const isKnown = await within(reading, WAIT_MILLISECONDS, () => false).catch(() => false);
		if (!isKnown || (await matches(known, call))) return false;
		this.forged(partnerId, Date.now());
		return true;
	}
}

async function readWhenDue(known: Guarded, read: () => Promise<Secret | null>): Promise<void> {
	const wait = known.readingSince + READ_MILLISECONDS - Date.now();
	if (wait > 0) await new Promise((due) => setTimeout(due, wait));
	const now = Date.now();
	known.readingSince = now;
	const secret = await read();
	// A read that took its time may come after a later one.
	if (now < known.readAt) return;
	if (known.current?.sealed !== secret?.sealed) known.before = known.current;
	known.current = secret;
	known.readAt = now;
}

const newGuarded = (since: number): Guarded => ({
	forged: 0,
	since,
	until: 0,
	current: null,
	before: null,
	readAt: 0,
	readingSince: 0,
});

async function matches({ current, before }: Guarded, call: SignedCall): Promise<boolean> {
	const secrets = [current, before].filter((secret) => secret !== null);
	const bytes = signedBytes(call);
	for (const { key } of secrets) if (await hmacMatches(key, call.signature, bytes)) return true;
	return false;
}
