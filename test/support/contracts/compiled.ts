/**
 * What the EVM runs of the contracts in this folder, as `npm run contracts` has compiled them: the compiler takes six
 * seconds of a core. `checks/contracts` holds the code to its source.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** By file; each with the settings of the compiler. Nodes of a test may know no newer instructions than those of Paris. */
export const SETTINGS = {
	Token: { evmVersion: 'paris', optimizer: { enabled: true, runs: 200 } },
	TronToken: { optimizer: { enabled: true } },
} as const;

export type Source = keyof typeof SETTINGS;

export const sourceOf = (source: Source): string => join(import.meta.dirname, `${source}.sol`);
export const codeOf = (source: Source): string => join(import.meta.dirname, `${source}.json`);

/** Hex, by contract. */
export const compiled = (source: Source): Readonly<Record<string, string>> =>
	JSON.parse(readFileSync(codeOf(source), 'utf8'));
