/** A row of `doctor`: one thing that a deployment needs. Every part of the examination gives a list of them. */
import type { ToldByAgents } from '../../ports/agents.ts';
import type { SignerState } from '../../ports/signer.ts';
import type { Facts, Waiting } from '../attention/waiting.ts';
import type { Context } from '../command.ts';

export type Area =
	| 'configuration'
	| 'keys'
	| 'versions'
	| 'clock'
	| 'database'
	| 'journal'
	| 'queue'
	| 'cron'
	| 'price'
	| 'network'
	| 'addresses'
	| 'reserve'
	| 'cap'
	| 'switch'
	| 'webhook';

export interface Row {
	readonly area: Area;
	readonly what: string;
	/** `unknown`: it could not be examined, or not yet. */
	readonly state: 'fine' | 'wrong' | 'unknown';
	readonly detail: string;
	/** Null where nothing is to be done. */
	readonly todo: string | null;
}

export interface Examination {
	readonly context: Context;
	/** Settings, market and networks, read once for all parts. @throws where one of them cannot be read */
	readonly facts: () => Promise<Facts>;
	/** The same of the signer. @throws where it does not answer */
	readonly signer: () => Promise<Examined<SignerState>>;
	/** The same of the agents Worker. @throws where it does not answer */
	readonly agents: () => Promise<Examined<ToldByAgents>>;
}

export interface Examined<State> {
	readonly state: State;
	/** Unix milliseconds by the clock of this Worker, before it was asked and after it answered. */
	readonly before: number;
	readonly after: number;
}

/** @throws where it could not be examined: its row then says so */
export type Part = (examination: Examination) => Promise<Row[]>;

type Words = readonly [area: Area, what: string, detail: string];

export const fine = (...[area, what, detail]: Words): Row => ({ area, what, state: 'fine', detail, todo: null });
export const wrong = (...[area, what, detail, todo]: [...Words, todo: string]): Row => {
	return { area, what, state: 'wrong', detail, todo };
};
export const unknown = (...said: [...Words, todo: string]): Row => ({ ...wrong(...said), state: 'unknown' });

/** The rows of `attention` about the area, or one row that says how well it is. */
export const asListed = (area: Area, waiting: readonly Waiting[], well: () => string): Row[] =>
	waiting.length === 0
		? [fine(area, 'all', well())]
		: waiting.map(({ subject, cause, todo }) => wrong(area, subject, cause, todo));
