/** Each deployment's names in the account: the names in the wrangler.toml files. Pure. */
import type { Environment } from './options.ts';

export type Deployment = ReturnType<typeof deploymentOf>;

export const CONFIGURATIONS = {
	api: 'wrangler.toml',
	agents: 'src/agents/wrangler.toml',
	signer: 'src/signer/wrangler.toml',
	link: 'src/link/wrangler.toml',
	house: 'src/signer/house/wrangler.toml',
	pages: 'src/pages/wrangler.toml',
	operator: 'src/operator/wrangler.toml',
	wallets: 'src/signer/wallets/wrangler.toml',
} as const;

export const REQUIRED_SECRETS = {
	api: ['OPERATOR_TOKEN', 'SECRETS_KEY', 'API_KEY_KEY', 'SEAL_KEY'],
	agents: ['SEAL_KEY'],
	signer: ['SEED', 'SEAL_KEY'],
} as const;

export function deploymentOf(environment: Environment) {
	const suffix = environment === 'staging' ? '-staging' : '';
	return {
		environment,
		api: `partner-exchange${suffix}`,
		agents: `partner-exchange-agents${suffix}`,
		signer: `partner-exchange-signer${suffix}`,
		/** In its own account, where the signer is in a house of its own. */
		house: `partner-exchange-house${suffix}`,
		pages: `partner-exchange-pages${suffix}`,
		operator: `partner-exchange-operator${suffix}`,
		/** In production, where Monero's wallets are in containers. */
		wallets: `partner-exchange-wallets${suffix}`,
		database: `partner-exchange${suffix}`,
		/** KV has no name in the configuration; this is the title that wrangler would give it. */
		cache: `partner-exchange${suffix}-cache`,
		queue: `partner-exchange-webhooks${suffix}`,
		/** The R2 bucket of finished orders. */
		archive: `partner-exchange-archive${suffix}`,
	};
}

/** An empty name is the top level of the file. */
export const environmentWords = ({ environment }: Deployment): readonly string[] => [
	`--env=${environment === 'staging' ? 'staging' : ''}`,
];
