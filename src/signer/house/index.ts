/**
 * The signer in a house of its own: another Cloudflare account, or a machine of the operator's. It is the signer that
 * `../index.ts` deploys, with its seed, nodes, prices, caps and journal. Only its two doors differ: calls come as signed
 * POSTs, and the service's rows are read over the link.
 */
import { RpcTarget } from 'capnweb';
import { answerAt, batchesOf, doorOf } from '../../link/door.ts';
import type { HasNonces } from '../../link/nonces.ts';
import { bindingsOver } from '../../link/rows.ts';
import { type LinkVariables, otherEnd } from '../../link/variables.ts';
import { SIGNER_CALLS } from '../../ports/signer-calls.ts';
import type { SignerEnv } from '../env.ts';
import { Signer } from '../index.ts';
import { Vault as SignersVault } from '../vault.ts';

export { Nonces } from '../../link/nonces.ts';
export { JournalVolume } from '../journal/volume.ts';

type HouseEnv = Omit<SignerEnv, keyof ReturnType<typeof bindingsOver>> &
	LinkVariables &
	HasNonces & {
		/** Secret: the address of the link in the service's account. */
		readonly LINK_URL?: string;
	};

/** @throws ConfigurationError */
const linked = (env: HouseEnv): SignerEnv => ({
	...env,
	...bindingsOver(otherEnd(env, 'rows', 'LINK_URL', env.LINK_URL)),
});

export class Vault extends SignersVault {
	constructor(ctx: DurableObjectState, env: HouseEnv) {
		super(ctx, linked(env));
	}
}

/** The signer's calls, as the link may make them. */
class Calls extends RpcTarget {
	readonly #signer: Signer;

	constructor(signer: Signer) {
		super();
		this.#signer = signer;
	}

	static {
		for (const call of SIGNER_CALLS)
			Object.defineProperty(Calls.prototype, call, {
				value(this: Calls, ...given: unknown[]) {
					return (this.#signer[call] as (...given: unknown[]) => Promise<unknown>)(...given);
				},
			});
	}
}

export default {
	fetch: (request, env, ctx) =>
		answerAt(doorOf(env, 'signer', batchesOf(new Calls(new Signer(ctx, linked(env))))), request),
} satisfies ExportedHandler<HouseEnv>;
