/**
 * Which keys must be made. A key that is there stays. One that is missing although the deployment has run is not made
 * again: what rests on it, or the coins, would be lost. Pure.
 */
import { REQUIRED_SECRETS } from './deployment.ts';

export interface Found {
	/** Names of the secrets that each Worker has; null where there is no such Worker. */
	readonly signer: ReadonlySet<string> | null;
	readonly api: ReadonlySet<string> | null;
	readonly agents: ReadonlySet<string> | null;
	readonly hasOrders: boolean;
	readonly hasPartners: boolean;
}

export interface KeyPlan {
	/** The keys that each Worker must be given. */
	readonly signer: readonly string[];
	readonly api: readonly string[];
	readonly agents: readonly string[];
	/** `typed`: addresses of a SEED are in use, so no other may take its place. */
	readonly seed: 'there' | 'new' | 'typed';
}

export type Judged =
	| { readonly kind: 'plan'; readonly plan: KeyPlan }
	| { readonly kind: 'lost'; readonly name: string; readonly what: string };

const missing = (there: ReadonlySet<string> | null, names: readonly string[]): string[] =>
	names.filter((name) => !there?.has(name));

export function judgeKeys({ signer, api, agents, hasOrders, hasPartners }: Found): Judged {
	// An agents Worker that has its key keeps addresses of the wallet in its objects, sealed, before there is any order.
	const hasRun = hasOrders || hasPartners || (agents?.has('SEAL_KEY') ?? false);
	const ofSigner = missing(signer, REQUIRED_SECRETS.signer);
	const ofApi = missing(api, REQUIRED_SECRETS.api);
	const ofAgents = missing(agents, REQUIRED_SECRETS.agents);
	const lacksSeal = [ofSigner, ofApi, ofAgents].some((names) => names.includes('SEAL_KEY'));
	if (lacksSeal && hasRun) return { kind: 'lost', name: 'SEAL_KEY', what: 'addresses and orders are sealed with it' };
	if (hasPartners) {
		const lost = ['SECRETS_KEY', 'API_KEY_KEY'].find((name) => ofApi.includes(name));
		if (lost) return { kind: 'lost', name: lost, what: 'the credentials of partners rest on it' };
	}
	// A key cannot be read back, so every Worker gets the new one.
	const withSeal = (names: readonly string[]) => (lacksSeal ? [...new Set([...names, 'SEAL_KEY'])] : names);
	const seedMissing = ofSigner.includes('SEED');
	const seed = seedMissing ? (hasRun ? 'typed' : 'new') : 'there';
	return { kind: 'plan', plan: { signer: withSeal(ofSigner), api: withSeal(ofApi), agents: withSeal(ofAgents), seed } };
}
