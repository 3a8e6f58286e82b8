/**
 * The signer Worker. It has no route: only the API Worker's service binding reaches `Signer`, which hands each call to
 * the vault. It also hosts the sandbox's ledgers. Both Workers ask them directly, like a node, so neither has to trust
 * the other about them.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { SealedAddress } from '../orders/seal.ts';
import { objectNamed } from '../region.ts';
import type {
	BumpOutcome,
	SignerIdentity,
	SignerLimits,
	SignerService,
	SignOutcome,
	StuckTransaction,
	WithdrawalAddress,
} from '../treasury/signer-port.ts';
import type { SignerEnv } from './env.ts';

export { SandboxLedger } from '../chains/sandbox/ledger.ts';
export { SandboxPrices } from '../chains/sandbox/prices.ts';
export { Vault } from './vault.ts';

export class Signer extends WorkerEntrypoint<SignerEnv> implements SignerService {
	async newAddresses(network: NetworkName, count: number, above: number): Promise<SealedAddress[]> {
		return this.#vault().newAddresses(network, count, above);
	}

	async hotAddress(network: NetworkName): Promise<string> {
		return this.#vault().hotAddress(network);
	}

	async limits(): Promise<SignerLimits> {
		return this.#vault().limits();
	}

	async identify(challenge: string): Promise<SignerIdentity> {
		return this.#vault().identify(challenge);
	}

	async withdrawalAddress(network: NetworkName): Promise<WithdrawalAddress> {
		return this.#vault().withdrawalAddress(network);
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		return this.#vault().check(network);
	}

	async sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		return this.#vault().sign(network, payoutIds);
	}

	async withdrawEarnings(payoutId: string): Promise<boolean> {
		return this.#vault().withdrawEarnings(payoutId);
	}

	async giveUp(payoutId: string, orderId: string | null): Promise<boolean> {
		return this.#vault().giveUp(payoutId, orderId);
	}

	async earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean> {
		return this.#vault().earningsPaidByHand(payoutId, orderIds);
	}

	async bump(network: NetworkName, stuck: readonly StuckTransaction[]): Promise<BumpOutcome[]> {
		return this.#vault().bump(network, stuck);
	}

	#vault() {
		return objectNamed(this.env, this.env.VAULT, 'vault');
	}
}

/** A Worker module needs a handler; nobody can reach this one. */
export default {
	fetch: () => new Response(null, { status: 404 }),
} satisfies ExportedHandler<SignerEnv>;
