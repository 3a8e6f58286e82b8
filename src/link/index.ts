/**
 * The link: in the place of the signer Worker, where the signer is in a house of its own. Its entrypoint `Signer` is the one
 * that the other Workers are bound to, and hands each call to the house over HTTPS. It has no seed and signs no payment.
 * Its only route answers the house, which reads the service's rows there. It hosts the sandbox's ledgers, as the signer does.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Regional } from '../platform/region.ts';
import type { SignerIdentity, SignerWorker } from '../ports/signer.ts';
import { SIGNER_CALLS } from '../ports/signer-calls.ts';
import { callOver } from './call.ts';
import { answerAt, batchesOf, doorOf } from './door.ts';
import type { HasNonces } from './nonces.ts';
import { Rows, type RowsEnv } from './rows.ts';
import { LINK_VERSION } from './signature.ts';
import { type LinkVariables, otherEnd } from './variables.ts';

export { SandboxLedger } from '../chains/sandbox/ledger.ts';
export { SandboxPrices } from '../chains/sandbox/prices.ts';
export { Nonces } from './nonces.ts';

interface LinkEnv extends LinkVariables, RowsEnv, HasNonces, Regional {
	/** Secret: the address of the signer's house. */
	readonly HOUSE_URL?: string;
}

/** With the types of the methods that the class below takes from the list. */
const Entry = WorkerEntrypoint as unknown as new (
	ctx: ExecutionContext,
	env: LinkEnv,
) => WorkerEntrypoint<LinkEnv> & Omit<SignerWorker, 'identify'>;

export class Signer extends Entry implements SignerWorker {
	static {
		for (const call of SIGNER_CALLS.filter((name) => name !== 'identify'))
			Object.defineProperty(Signer.prototype, call, {
				value(this: Signer, ...given: unknown[]) {
					return this.#ask(call, given);
				},
			});
	}

	/** With what the way to the house takes. */
	async identify(challenge: string): Promise<SignerIdentity> {
		const before = Date.now();
		const identity = (await this.#ask('identify', [challenge])) as SignerIdentity;
		const house = { version: LINK_VERSION, milliseconds: Date.now() - before };
		return { ...identity, state: { ...identity.state, house } };
	}

	/** @throws LinkError, ConfigurationError, or what the signer threw */
	async #ask(call: keyof SignerWorker, given: readonly unknown[]): Promise<unknown> {
		return callOver(otherEnd(this.env, 'signer', 'HOUSE_URL', this.env.HOUSE_URL), call, given);
	}
}

export default {
	fetch: (request, env) => answerAt(doorOf(env, 'rows', batchesOf(new Rows(env))), request),
} satisfies ExportedHandler<LinkEnv>;
