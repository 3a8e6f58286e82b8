/**
 * How many lines of the log an isolate writes in a minute: of identical warnings and errors one, of each event and kind
 * at most `MOST_LINES`. What is left out is counted, and the next line of the same sort says how many there were.
 */
import { BoundedMap } from './bounded-map.ts';
import { MINUTE_MILLISECONDS } from './time.ts';

/** Ten a second. An hour of a flood that brings one kind of refusal is then about 9 MB of log. */
const MOST_LINES = 600;
/** Sorts of lines that are remembered; the one that was begun first goes first. */
const MOST_SORTS = 1_000;

export interface Line {
	readonly event: string;
	/** Neither a warning nor an error: identical lines are news each time. */
	readonly isNews: boolean;
	readonly facts: Readonly<Record<string, unknown>>;
}

interface Counted {
	since: number;
	written: number;
	suppressed: number;
}

export class LineLimit {
	readonly #counts = new BoundedMap<string, Counted>(MOST_SORTS);

	/** Null where the line is to be left out; else how many like it were left out since the last one. */
	take({ event, isNews, facts }: Line, now: number): { readonly suppressed: number } | null {
		const ofEvent = this.#take(`${event} ${String(facts['kind'] ?? '')}`, MOST_LINES, now);
		if (ofEvent === null || isNews) return ofEvent;
		const { requestId: _, ...cause } = facts;
		return this.#take(`${event} ${JSON.stringify(cause)}`, 1, now);
	}

	#take(sort: string, most: number, now: number): { readonly suppressed: number } | null {
		const known = this.#counts.get(sort);
		if (known && now - known.since < MINUTE_MILLISECONDS) {
			if (known.written < most) {
				known.written++;
				return { suppressed: 0 };
			}
			known.suppressed++;
			return null;
		}
		this.#counts.set(sort, { since: now, written: 1, suppressed: 0 });
		return { suppressed: known?.suppressed ?? 0 };
	}
}
