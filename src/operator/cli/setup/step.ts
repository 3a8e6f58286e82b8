/** Shared by the steps of a setup. A step looks at what is there before it does anything, so it can be run again. */
import { randomBytes } from 'node:crypto';
import type { Account } from './account.ts';
import type { Answers } from './answers.ts';
import type { Deployment } from './deployment.ts';
import type { Lock } from './lock.ts';
import type { SetupOptions } from './options.ts';
import type { Memory } from './remembered.ts';
import type { Talk } from './talk.ts';

/** Results that steps hand to later ones. */
export interface Found {
	databaseId?: string;
	lock?: Lock;
	cacheId?: string;
	/** Made in this setup and not in the account yet: secrets of each Worker. */
	secrets?: Readonly<Record<'signer' | 'api' | 'agents', Readonly<Record<string, string>>>>;
	/** The service's token, as far as this setup knows it. */
	operatorToken?: string | undefined;
}

export interface House {
	/** The address of a house that somebody runs; `account` where it is in another account. */
	readonly where: string;
	/** Null where somebody runs it. */
	readonly account: Account | null;
}

export interface Setup {
	readonly options: SetupOptions;
	readonly deployment: Deployment;
	readonly account: Account;
	/** Null where the signer is in this account. */
	readonly house: House | null;
	readonly talk: Talk;
	readonly memory: Memory;
	readonly answers: Answers;
	readonly found: Found;
}

export interface Step {
	readonly title: string;
	/** The work that it will do, one sentence. */
	readonly does: (deployment: Deployment, answers: Answers) => string;
	/** Its result, where it is there already and nothing is left to do; else null. Changes nothing. */
	readonly there: (setup: Setup) => Promise<string | null>;
	readonly run: (setup: Setup) => Promise<void>;
}

const KEY_BYTES = 32;

export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

/** @throws TypeError where an earlier step did not leave it */
export function given<T>(value: T | undefined, name: string): T {
	if (value === undefined) throw new TypeError(`no step before found ${name}`);
	return value;
}

/** The variable that says where a Worker's objects are created. */
export const regionOf = ({ answers }: Setup) => ({ REGION: given(answers.place ?? undefined, 'the place').region });
