/**
 * The agents Worker: a ChainAgent for each network, and what it tells of its own variables. It has no route: only bindings
 * of the other Workers reach it. A Worker of its own, so that the chains cost no call of a partner its start, memory or
 * bundle, and that who has the API Worker has no node. No logic here.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import { configurationProblems } from '../configuration/check.ts';
import { toldVariables } from '../configuration/told.ts';
import { deploymentOf, sealKeyProof } from '../crypto/key-proof.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { databaseOf } from '../platform/d1/database.ts';
import type { AgentsService } from '../ports/agents.ts';
import type { AgentsEnv } from '../ports/env.ts';
import { signedReserves } from '../treasury/reserves/sign.ts';
import { proveSolvency } from '../treasury/solvency/prove.ts';

export { ChainAgent } from '../treasury/agent.ts';

export class Agents extends WorkerEntrypoint<AgentsEnv> implements AgentsService {
	async told() {
		return {
			variables: toldVariables(this.env, 'api'),
			problems: configurationProblems(this.env, 'agents'),
			hasArchive: this.env.ARCHIVE !== undefined,
			version: codeVersion(this.env),
			at: Date.now(),
		};
	}

	async proveSolvency({ showsMonero }: { readonly showsMonero: boolean }) {
		const { DEPLOYMENT = '', SIGNER } = this.env;
		return proveSolvency({
			db: databaseOf(this.env),
			signer: SIGNER,
			deployment: DEPLOYMENT.trim() || '-',
			reserves: (claim) => signedReserves(this.env, claim, { showsMonero }),
			now: Date.now(),
		});
	}

	async identify(challenge: string) {
		return { sealKey: await sealKeyProof(this.env, challenge), deployment: await deploymentOf(this.env) };
	}
}

/** Nothing calls it: the platform wants one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler<AgentsEnv>;
