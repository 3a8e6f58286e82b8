/** The signer's state for the operator's `doctor`: its clock, its code and what is wrong with its variables. */
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { networkModeOrProblem } from '../chains/configuration.ts';
import { judgesOf } from '../chains/judges.ts';
import { configurationProblems } from '../configuration/check.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { otherEnd } from '../link/variables.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import type { JournalState } from '../ports/copy.ts';
import type { ConfigurationProblem } from '../ports/keeper.ts';
import type { SignerState } from '../ports/signer.ts';
import { refusalText } from '../treasury/signer-refusal.ts';
import type { SignerEnv } from './env.ts';
import type { Wiring } from './wiring.ts';
import { withdrawVariable } from './withdrawals/addresses.ts';

export const signerState = (env: SignerEnv, wiring: Wiring, journal: JournalState, now: number): SignerState => ({
	at: now,
	journal,
	passkeys: wiring.persons.state(),
	version: codeVersion(env),
	// The Worker that hands the call on says what its own is.
	newestVersion: codeVersion(env),
	problems: [
		...configurationProblems(env, 'signer'),
		...judgeProblems(env),
		...NETWORK_NAMES.flatMap((network) => withdrawalProblem(env, wiring, network)),
	],
});

/** Addresses for withdrawals that are set and that no withdrawal could go to. */
function withdrawalProblem(env: SignerEnv, wiring: Wiring, network: NetworkName): ConfigurationProblem[] {
	const variable = withdrawVariable(network);
	const found = networkModeOrProblem(env, network);
	if (!env[variable]?.trim() || !('mode' in found) || found.mode === null) return [];
	const configured = read(() => wiring.withdrawals.configured(network));
	// A wrong key or URL is a problem of its own, and is named as such.
	if (configured instanceof ConfigurationError || 'addresses' in configured) return [];
	return [{ variable, problem: refusalText(configured.refused), todo: todoOf(variable) }];
}

const todoOf = (variable: string) => `correct it: npx wrangler secret put ${variable} -c src/signer/wrangler.toml`;

/** Judges the variables of two judges, for `doctor`: one that is missing would leave a network to one of them. */
export function judgeProblems(env: SignerEnv): ConfigurationProblem[] {
	const wrong = [
		...(env.COSIGNER_URL && !env.COSIGNED ? ['COSIGNED is missing: the signer signs alone everywhere'] : []),
		...(env.COSIGNED ? wrongIn(() => otherEnd(env, 'cosigner', 'COSIGNER_URL', env.COSIGNER_URL)) : []),
		...NETWORK_NAMES.flatMap((network) => wrongIn(() => judgesOf(env, network))),
	];
	return [...new Set(wrong)].map((problem) => {
		// The sentences begin with it.
		const [variable = ''] = problem.split(' ', 1);
		return { variable, problem, todo: todoOf(variable) };
	});
}

function wrongIn(reading: () => unknown): string[] {
	const found = read(reading);
	return found instanceof ConfigurationError ? [found.message] : [];
}

function read<T>(reading: () => T): T | ConfigurationError {
	try {
		return reading();
	} catch (error) {
		if (error instanceof ConfigurationError) return error;
		throw error;
	}
}
