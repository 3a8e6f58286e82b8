/** The Worker whose Durable Objects these tests open. */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';

export { SandboxPrices } from '../../src/chains/sandbox/prices.ts';
export { AnonymousGate } from '../../src/partners/gate/anonymous-gate.ts';
export { PartnerGate } from '../../src/partners/gate/gate.ts';
export { RateBook } from '../../src/pricing/rate-book.ts';
export { JournalVolume } from '../../src/signer/journal/volume.ts';
export { Vault } from '../../src/signer/vault.ts';

/** Only storage, for classes that keep their records in the storage of another object. */
export class BareObject extends DurableObject {}

/** The part of the signer that the rate book calls. */
export class Signer extends WorkerEntrypoint {
	limits() {
		return { payoutCapUsd: 1_000 };
	}
}

/** The part of the agents Worker that the rate book calls. */
export class Agents extends WorkerEntrypoint {
	told() {
		return { variables: { SANDBOX: 'on' } };
	}
}

export default {};
