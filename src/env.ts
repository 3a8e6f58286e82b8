/**
 * Bindings and configuration of the API Worker (`wrangler.toml`). Everything that an operator can set is here; nothing
 * else reads the environment.
 */

import type { ChainConfiguration } from './chains/configuration.ts';
import type { SandboxLedger } from './chains/sandbox/ledger.ts';
import type { SandboxPrices } from './chains/sandbox/prices.ts';
import type { KeyVariables } from './crypto/key-ring.ts';
import type { AnonymousGate } from './partners/gate/anonymous-gate.ts';
import type { PartnerGate } from './partners/gate/gate.ts';
import type { RateBook } from './pricing/rate-book.ts';
import type { ChainAgent } from './treasury/agent.ts';
import type { SignerService } from './treasury/signer-port.ts';
import type { WebhookWake } from './webhooks/wake.ts';

/**
 * Its keys (`crypto/key-ring.ts` says how each is written and replaced) are secrets: `SECRETS_KEY` seals partners' secrets
 * at rest, `API_KEY_KEY` keys the checksum inside apiKeys, `SEAL_KEY`, the same in both Workers, seals what the signer
 * must be able to believe.
 */
export interface Env extends ChainConfiguration, KeyVariables {
	readonly DB: D1Database;
	readonly CACHE: KVNamespace;
	readonly WEBHOOKS: Queue<WebhookWake>;
	readonly PARTNER_GATE: DurableObjectNamespace<PartnerGate>;
	readonly ANONYMOUS_GATE: DurableObjectNamespace<AnonymousGate>;
	readonly RATE_BOOK: DurableObjectNamespace<RateBook>;
	readonly CHAIN_AGENT: DurableObjectNamespace<ChainAgent>;
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
	readonly SANDBOX_PRICES: DurableObjectNamespace<SandboxPrices>;
	readonly SIGNER: SignerService;

	/** Secret: bearer token of the operator API; without it the API answers 404. */
	readonly OPERATOR_TOKEN?: string;
	/**
	 * How many free pay-in addresses each network is given ahead of need; it is filled up again below half of that.
	 * Default 600.
	 */
	readonly ADDRESS_POOL?: string;
	/** `allowed` lets webhook URLs be plain http on loopback: local development only. */
	readonly WEBHOOK_LOOPBACK?: string;
}
