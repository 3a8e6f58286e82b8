/**
 * Bindings and variables of the API Worker (`wrangler.toml`) and of the agents Worker (`src/agents/wrangler.toml`). Durable Objects have the type that their callers see, so
 * that this file imports no implementation.
 */
import type { ChainConfiguration, PriceVariables } from '../chains/configuration.ts';
import type { SandboxLedger } from '../chains/sandbox/ledger.ts';
import type { SandboxPrices } from '../chains/sandbox/prices.ts';
import type { KeyVariables } from '../crypto/key-ring.ts';
import type { Observed } from '../platform/metrics/observe.ts';
import type { Regional } from '../platform/region.ts';
import type { AgentsService } from './agents.ts';
import type { ChainAgentRpc } from './chain-agent.ts';
import type { PagesService } from './desk.ts';
import type { AnonymousGateRpc, PartnerGateRpc } from './gates.ts';
import type { OperatorService } from './operator.ts';
import type { RateBookRpc } from './rate-book.ts';
import type { SignerWorker } from './signer.ts';
import type { WebhookWake } from './wake.ts';

/** Variables of the API Worker, which judges: the pages Worker has none of them. */
export interface DoorVariables {
	/** With both, the console is behind Cloudflare Access: `example.cloudflareaccess.com` and the application's tag. */
	readonly ACCESS_TEAM_DOMAIN?: string;
	readonly ACCESS_AUDIENCE?: string;
	/** Which group has which role: `admin=Owners; support=Help desk; view=Staff`. Without it all are admins. */
	readonly ACCESS_ROLES?: string;
	/** `on` opens the console, without Access, to who has the operator's token. */
	readonly CONSOLE_TOKEN_SIGN_IN?: string;
}

/**
 * The API Worker's own. The keys are secrets (`crypto/key-ring.ts` says how each is written and replaced). `SECRETS_KEY`
 * seals partners' secrets at rest, `API_KEY_KEY` keys the checksum inside apiKeys, and `SEAL_KEY`, the same in the API Worker,
 * the agents Worker and the signer, seals what the signer must be able to trust.
 */
export interface OwnEnv extends DoorVariables, KeyVariables, PriceVariables, Observed, Regional {
	readonly DB: D1Database;
	readonly CACHE: KVNamespace;
	readonly WEBHOOKS: Queue<WebhookWake>;
	/** Finished orders; without it none is archived. */
	readonly ARCHIVE?: R2Bucket;
	readonly PARTNER_GATE: DurableObjectNamespace<PartnerGateRpc>;
	readonly ANONYMOUS_GATE: DurableObjectNamespace<AnonymousGateRpc>;
	readonly RATE_BOOK: DurableObjectNamespace<RateBookRpc>;
	/** The first deployment has neither of these two yet: the agents Worker binds to objects of the API Worker, so it comes after it. */
	readonly AGENTS: AgentsService;
	readonly CHAIN_AGENT: DurableObjectNamespace<ChainAgentRpc>;
	readonly SANDBOX_PRICES: DurableObjectNamespace<SandboxPrices>;
	readonly SIGNER: SignerWorker;
	/** All that people see in a browser; a deployment without it serves the API alone. */
	readonly PAGES?: PagesService;
	/** Which version of the code this is. */
	readonly VERSION?: WorkerVersionMetadata;

	/**
	 * Secret: bearer token of the operator API; without it the API answers 404. Only the characters of RFC 6750:
	 * `[A-Za-z0-9._~+/-]+=*`.
	 */
	readonly OPERATOR_TOKEN?: string;
	/** Secret: admits as well, while `OPERATOR_TOKEN` is replaced. */
	readonly OPERATOR_TOKEN_NEXT?: string;
	/** `allowed` lets webhook URLs be plain http on loopback: local development only. */
	readonly WEBHOOK_LOOPBACK?: string;
	/** Secret: where alerts are posted, under the rules of a partner's webhook URL. Without it there are no alerts. */
	readonly ALERT_WEBHOOK_URL?: string;
	/** Secret: signs alerts as a partner's webhookSecret signs webhooks; at least 16 characters. */
	readonly ALERT_WEBHOOK_SECRET?: string;
	/** Minutes for which something must be gone before it is told to be over. Default 10. */
	readonly ALERT_QUIET_MINUTES?: string;
	/** How many strangers a day may make keys of their own, where every network is on the sandbox. Default 0: no public sandbox. */
	readonly SANDBOX_VISITORS?: string;
	/** The origin of a public sandbox beside this service, `https://sandbox.example`, to which the docs lead. */
	readonly SANDBOX_URL?: string;
	/** Where weaknesses are reported, for `/.well-known/security.txt`: a `mailto:` or `https:` address. */
	readonly SECURITY_CONTACT?: string;
	/** Whom payers ask whose partner named nobody: a mail address or an `https:` address. */
	readonly SUPPORT_CONTACT?: string;
}

/** The API Worker's code is given this: its own, and what the agents Worker tells of the networks. */
export interface Env extends OwnEnv, ChainConfiguration {}

/** The agents Worker's own: it alone asks nodes beside the signer. */
export interface AgentsEnv extends ChainConfiguration, KeyVariables, Observed, Regional {
	readonly DB: D1Database;
	readonly WEBHOOKS: Queue<WebhookWake>;
	/** Where it looks for the order of coins that come late. */
	readonly ARCHIVE?: R2Bucket;
	readonly RATE_BOOK: DurableObjectNamespace<RateBookRpc>;
	readonly CHAIN_AGENT: DurableObjectNamespace<ChainAgentRpc>;
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
	readonly SIGNER: SignerWorker;
	readonly VERSION?: WorkerVersionMetadata;
	/**
	 * How many free pay-in addresses each network has in stock. It is refilled when less than half is there. Default
	 * 600.
	 */
	readonly ADDRESS_POOL?: string;
	/** `allowed` lets the screening service be plain http on loopback: local development only. */
	readonly WEBHOOK_LOOPBACK?: string;
	/**
	 * Secret: the operator's screening service, https, asked before money moves. Without it nothing is asked. What it is
	 * sent is signed with the secret `SCREENING_SECRET`.
	 */
	readonly SCREENING_URL?: string;
	readonly SCREENING_SECRET?: string;
}

/** The entry's own: nothing else of the API Worker reaches the operator Worker. */
export interface OwnApiEnv extends OwnEnv {
	/** Not at the first deployment: the operator Worker binds to objects of this one, so it comes after it. */
	readonly OPERATOR: OperatorService;
}

/** The entry's, with the networks. */
export interface ApiEnv extends OwnApiEnv, ChainConfiguration {}
