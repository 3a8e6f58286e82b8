/**
 * The agents Worker as the other Workers see it. Its objects, which do the work, have a port of their own
 * (`chain-agent.ts`). It alone has nodes beside the signer, so it tells the others where each network runs.
 */
import type { Told } from '../crypto/key-proof.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { ConfigurationProblem } from './keeper.ts';
import type { SolvencyOutcome } from './solvency.ts';

export interface ToldByAgents {
	/** Those that the API Worker has not got, without what lets anybody in (`configuration/told.ts`). */
	readonly variables: Readonly<Record<string, string>>;
	readonly problems: readonly ConfigurationProblem[];
	/** Does it have the bucket `ARCHIVE`? */
	readonly hasArchive: boolean;
	readonly version: CodeVersion;
	/** Unix milliseconds by its clock. */
	readonly at: number;
}

export interface AgentsService {
	told(): Promise<ToldByAgents>;
	/** Makes the report of this hour, where there is none yet (book: solvency). @throws what D1, the nodes or the signer throw */
	proveSolvency(asked: { readonly showsMonero: boolean }): Promise<SolvencyOutcome>;
	/** Is SEAL_KEY the signer's, and the name of the deployment? */
	identify(challenge: string): Promise<{ readonly sealKey: Told; readonly deployment: Told }>;
}
