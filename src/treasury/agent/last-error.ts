/** Keeps the last error of an agent in memory, for the operator, and runs a part of a poll so that the others go on. */
import { logError } from '../../log.ts';
import type { LastError } from '../agent-rpc.ts';

/** Longest text of an error that is kept, characters. */
const MAX_TEXT = 300;

export interface ErrorMemory {
	/** Null while nothing has gone wrong since the object woke. */
	last(): LastError | null;
	/** `what`: an error, or a line of text. */
	note(part: string, what: unknown): void;
	/** Runs a part; an error is logged and noted, and the other parts go on. Never rejects. */
	attempt(part: string, run: () => Promise<void>): Promise<void>;
}

/** `network`: for the log. */
export function errorMemory(network: () => Promise<unknown>): ErrorMemory {
	let last: LastError | null = null;
	const note = (part: string, what: unknown): void => {
		const text = what instanceof Error ? what.message : String(what);
		last = { at: Date.now(), text: `${part}: ${text.slice(0, MAX_TEXT)}` };
	};
	return {
		last: () => last,
		note,
		async attempt(part, run) {
			try {
				await run();
			} catch (error) {
				logError('poll_part_failed', error, { part, network: await network() });
				note(part, error);
			}
		},
	};
}
