/**
 * The Worker's part of a command: a run takes the checked input and gives the answer's data, or a failure. A failure's
 * text is one line for a person and never contains a secret.
 */
import type { z } from 'zod/mini';
import type { Writer } from '../audit/log.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { ToldByApi } from '../ports/keeper.ts';
import type { AskedPersons, Confirmation } from '../ports/persons.ts';
import type { OperatorBindings, OperatorEnv } from './env.ts';
import type { Topic } from './topic.ts';

export interface Context extends Writer {
	readonly env: OperatorEnv;
	/** Unix milliseconds by the clock of who runs the command; null where the client did not say. */
	readonly callerAt?: number | null;
	/** This deployment's origin, as the caller reached it: `https://swap.example`. */
	readonly origin?: string;
	/** The signatures of persons for this command; absent where nobody has signed yet. */
	readonly confirmation?: Confirmation | undefined;
	/** Absent where a partner asks. */
	readonly deployment?: Deployment;
}

/** The facts that a command cannot see in its environment. */
export interface Deployment {
	readonly api: ToldByApi;
	/** The version of the API Worker's code; absent where the cron asks. */
	readonly version?: CodeVersion;
	/** The bindings of the operator Worker itself. */
	readonly own: OperatorBindings;
}

export interface Failure {
	/** HTTP status: 503 where the request was right and the service could not finish it. */
	readonly failed: 400 | 404 | 409 | 428 | 503;
	readonly error: string;
	/** With 428: what persons have to sign before the command is carried out. */
	readonly asks?: AskedPersons;
}

export const fail = (failed: Failure['failed'], error: string): Failure => ({ failed, error });

export const isFailure = (value: unknown): value is Failure =>
	typeof value === 'object' && value !== null && 'failed' in value;

/** The runs of a topic, exactly one for each declared command: a missing or an extra one does not compile. */
export type RunsOf<T extends Topic> = {
	readonly [Verb in keyof T['commands']]: (
		context: Context,
		input: z.output<T['commands'][Verb]['input']>,
	) => Promise<unknown>;
};

/** The run of one command: `RunOf<typeof order, 'list'>`. */
export type RunOf<T extends Topic, Verb extends keyof T['commands']> = RunsOf<T>[Verb];
