/**
 * The signer Worker. It has no route: only the service bindings of the other Workers reach `Signer`, which hands each call
 * to the vault. It also hosts the sandbox's ledgers. The Workers ask them directly, like a node, so none has to trust
 * another about them.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { NetworkName } from '../catalog/networks.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { objectNamed } from '../platform/region.ts';
import type { SignerIdentity, SignerService, SignerWorker } from '../ports/signer.ts';
import { HANDED_ON_CALLS } from '../ports/signer-calls.ts';
import { askEach } from '../treasury/each-network.ts';
import type { SignerEnv } from './env.ts';

export { SandboxLedger } from '../chains/sandbox/ledger.ts';
export { SandboxPrices } from '../chains/sandbox/prices.ts';
export { JournalVolume } from './journal/volume.ts';
export { Vault } from './vault.ts';

/** With the types of the methods that the class below takes from the list. */
const Entry = WorkerEntrypoint as unknown as new (
	ctx: ExecutionContext,
	env: SignerEnv,
) => WorkerEntrypoint<SignerEnv> & Omit<SignerService, 'identify'>;

export class Signer extends Entry implements SignerWorker {
	static {
		for (const call of HANDED_ON_CALLS)
			Object.defineProperty(Signer.prototype, call, {
				value(this: Signer, ...given: unknown[]) {
					return this.#handOn(call, given);
				},
			});
	}

	async identify(challenge: string): Promise<SignerIdentity> {
		const identity = (await this.#handOn('identify', [challenge])) as SignerIdentity;
		return { ...identity, state: { ...identity.state, newestVersion: codeVersion(this.env) } };
	}

	async hotAddresses(networks: readonly NetworkName[]) {
		return askEach(networks, (network) => this.hotAddress(network));
	}

	async checks(networks: readonly NetworkName[]) {
		return askEach(networks, (network) => this.check(network));
	}

	/** The answer without its call, which who gets it would hold open (book: architecture, "Durable Objects"). */
	async #handOn(call: keyof SignerService, given: unknown[]): Promise<unknown> {
		const vault = objectNamed(this.env, this.env.VAULT, 'vault');
		return structuredClone(await (vault[call] as (...given: unknown[]) => Promise<unknown>)(...given));
	}
}

/** A Worker module needs a handler; nobody can reach this one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler<SignerEnv>;
