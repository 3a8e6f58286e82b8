/** The Worker whose Durable Objects the tests here open. */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';

export { SandboxPrices } from '../../src/chains/sandbox/prices.ts';
export { PartnerGate } from '../../src/partners/gate/gate.ts';
export { RateBook } from '../../src/pricing/rate-book.ts';

/** Storage and nothing else, for what keeps its records in the storage of another object. */
export class BareObject extends DurableObject {}

/** As much of the signer as the rate book asks. */
export class Signer extends WorkerEntrypoint {
	limits() {
		return { payoutCapUsd: 1_000 };
	}
}

export default {};
