/**
 * Which links, passkeys, sessions and scoped keys have ended, and which reference codes were disabled, in the gate's own
 * storage: in D1 their rows are deleted or marked, and come back with a database that is set back in time. Only what ended is remembered. So a gate that is new, as after a restore into
 * another deployment, lets in whom D1 names. Each method is one synchronous turn.
 */
import { Stored } from '../../platform/stored.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Access, AccessKind, Ending, SwitchedCode } from '../../ports/gates.ts';

/** No link and no session lives longer; a passkey and a key have no end, and are remembered for ever. */
const REMEMBERED_MILLISECONDS = 60 * DAY_MILLISECONDS;
const ENDLESS: ReadonlySet<AccessKind> = new Set(['passkey', 'key']);
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const keyOf = ({ kind, hash }: Access): string => `ended ${kind} ${hash}`;
const keyOfEarlier = (kind: AccessKind): string => `ended before ${kind}`;

interface Earlier {
	readonly at: number;
	readonly except: string;
}

export class EndedAccess extends Stored {
	has(access: Access): boolean {
		const earlier = this.storage.kv.get<Earlier>(keyOfEarlier(access.kind));
		if (earlier && access.createdAt < earlier.at && access.hash !== earlier.except) return true;
		return this.storage.kv.get(keyOf(access)) !== undefined;
	}

	/** False, and nothing ends, where it may not. */
	end({ one, isOnce, unlessLast, earlier }: Ending, now: number): boolean {
		if (one && isOnce && this.has(one)) return false;
		if (one && unlessLast && !this.has(one) && unlessLast.every((other) => this.has(other))) return false;
		if (earlier)
			for (const key of earlier.kinds.map(keyOfEarlier))
				if ((this.storage.kv.get<Earlier>(key)?.at ?? 0) <= earlier.at)
					this.storage.kv.put(key, { at: earlier.at, except: earlier.except });
		if (!one) return true;
		this.#forget(one.kind, now);
		this.storage.kv.put(keyOf(one), ENDLESS.has(one.kind) ? FOR_EVER : now + REMEMBERED_MILLISECONDS);
		return true;
	}

	/** A reference code can be enabled again, so its end can be taken back. */
	switchCode({ code, enabled }: SwitchedCode): void {
		if (enabled) this.storage.kv.delete(`ended code ${code}`);
		else this.storage.kv.put(`ended code ${code}`, FOR_EVER);
	}

	/** The codes among these that were disabled and not enabled since. */
	disabledAmong(codes: Iterable<string>): string[] {
		return [...codes].filter((code) => this.storage.kv.get(`ended code ${code}`) !== undefined);
	}

	#forget(kind: AccessKind, now: number): void {
		for (const [key, until] of this.storage.kv.list<number>({ prefix: `ended ${kind} ` }))
			if (until < now) this.storage.kv.delete(key);
	}
}
