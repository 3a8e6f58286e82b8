/** Each deployment's names in the account: the names in the wrangler.toml files. Pure. */
import type { Environment } from './options.ts';

export interface Deployment {
	readonly environment: Environment;
	readonly api: string;
	readonly agents: string;
	readonly signer: string;
	/** In its own account, where the signer is in a house of its own. */
	readonly house: string;
	readonly pages: string;
	readonly operator: string;
	/** In production, where Monero's wallets are in containers. */
	readonly wallets: string;
	readonly database: string;
	/** KV has no name in the configuration; this is the title that wrangler would give it. */
	readonly cache: string;
	readonly queue: string;
	/** The R2 bucket of finished orders. */
	readonly archive: string;
}

export const API_CONFIGURATION = 'wrangler.toml';
export const AGENTS_CONFIGURATION = 'src/agents/wrangler.toml';
export const SIGNER_CONFIGURATION = 'src/signer/wrangler.toml';
export const LINK_CONFIGURATION = 'src/link/wrangler.toml';
export const HOUSE_CONFIGURATION = 'src/signer/house/wrangler.toml';
export const PAGES_CONFIGURATION = 'src/pages/wrangler.toml';
export const OPERATOR_CONFIGURATION = 'src/operator/wrangler.toml';
export const WALLETS_CONFIGURATION = 'src/signer/wallets/wrangler.toml';

export const REQUIRED_SECRETS = {
	api: ['OPERATOR_TOKEN', 'SECRETS_KEY', 'API_KEY_KEY', 'SEAL_KEY'],
	agents: ['SEAL_KEY'],
	signer: ['SEED', 'SEAL_KEY'],
} as const;

export function deploymentOf(environment: Environment): Deployment {
	const suffix = environment === 'staging' ? '-staging' : '';
	return {
		environment,
		api: `partner-exchange${suffix}`,
		agents: `partner-exchange-agents${suffix}`,
		signer: `partner-exchange-signer${suffix}`,
		house: `partner-exchange-house${suffix}`,
		pages: `partner-exchange-pages${suffix}`,
		operator: `partner-exchange-operator${suffix}`,
		wallets: `partner-exchange-wallets${suffix}`,
		database: `partner-exchange${suffix}`,
		cache: `partner-exchange${suffix}-cache`,
		queue: `partner-exchange-webhooks${suffix}`,
		archive: `partner-exchange-archive${suffix}`,
	};
}

/** An empty name is the top level of the file. */
export const environmentWords = ({ environment }: Deployment): readonly string[] => [
	`--env=${environment === 'staging' ? 'staging' : ''}`,
];
