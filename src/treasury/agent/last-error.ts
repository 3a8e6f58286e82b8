/**
 * Keeps the errors of an agent in memory, for the operator, and runs a part of a poll so that the others go on. A part
 * that fails once is tried again at the next poll, so it counts how often each part has failed in a row.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { type ChainConfiguration, networkModeOrProblem } from '../../chains/configuration.ts';
import { ConfigurationError } from '../../crypto/key-ring.ts';
import { logError } from '../../platform/log.ts';
import { inSpan } from '../../platform/span.ts';
import type { LastError } from '../../ports/chain-agent.ts';

/** Longest text of an error that is kept, characters. */
const MAX_TEXT = 300;
/** A part that goes on failing is tried again within this time. */
const FRESH_MILLISECONDS = 120_000;

export type ErrorMemory = ReturnType<typeof errorMemory>;

/** `network`: for the log. */
export function errorMemory(network: () => Promise<unknown>) {
	let newest: LastError | null = null;
	const failing = new Map<string, LastError>();
	const keep = (part: string, what: unknown, failures: number | null): LastError => {
		const text = what instanceof Error ? what.message : String(what);
		newest = { at: Date.now(), text: `${part}: ${text.slice(0, MAX_TEXT)}`, failures };
		return newest;
	};
	/** It goes on counting until `worked`. */
	const failed = (part: string, what: unknown): void => {
		failing.set(part, keep(part, what, (failing.get(part)?.failures ?? 0) + 1));
	};
	return {
		/**
		 * Null while nothing has gone wrong since the object woke. Of several parts that fail now, the one that has failed
		 * most often in a row; else the newest error.
		 */
		last: (): LastError | null => worst([...failing.values()], Date.now()) ?? newest,
		/** Takes what is no failed poll: an error, or a line of text. */
		note: (part: string, what: unknown) => void keep(part, what, null),
		failed,
		worked: (part: string) => void failing.delete(part),
		/** Has any part failed when it ran last? */
		isFailing: () => failing.size > 0,
		/** Runs a part; an error is logged and counted, and the other parts go on. Never rejects. */
		async attempt(part: string, run: () => Promise<void>): Promise<void> {
			try {
				await inSpan('poll', run, part);
				failing.delete(part);
			} catch (error) {
				logError('poll_part_failed', error, { part, network: await network() });
				failed(part, error);
			}
		},
	};
}

/** Null where the network is not run or is misconfigured: the polls end, and the cron starts them again. */
export function modeOrNoted(configuration: ChainConfiguration, network: NetworkName, errors: ErrorMemory) {
	const found = networkModeOrProblem(configuration, network);
	if ('mode' in found) return found.mode;
	errors.note('connect', new ConfigurationError(found.problem));
	return null;
}

/** The one with the most failures, of those the newest; null where no part fails repeatedly. */
function worst(failing: readonly LastError[], now: number): LastError | null {
	const repeated = failing.filter(({ at, failures }) => (failures ?? 0) > 1 && now - at <= FRESH_MILLISECONDS);
	return repeated.toSorted((a, b) => (b.failures ?? 0) - (a.failures ?? 0) || b.at - a.at)[0] ?? null;
}
