/**
 * Every variable of the service: which Worker has it, whether it is a secret, and what it must look like. The start on
 * this machine, the log and `doctor` check by this table, and the tables of the book (deploy, "Configuration") are
 * compared with it. Pure.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { DEPLOYMENT_PATTERN, DEPLOYMENT_WORDS } from '../crypto/key-ring.ts';
import { OPERATOR_TOKEN_PATTERN } from '../crypto/tokens.ts';

export type Worker = 'api' | 'signer' | 'pages' | 'operator';

interface Variable {
	/** `<NETWORK>` in it stands for each network's name in capitals. */
	readonly name: string;
	/** `both`: of API Worker and signer. `command`: not of the Workers, but of `npm start` and `npx exchange`. */
	readonly of: 'both' | Worker | 'command';
	readonly secret?: true;
	/** The operator Worker has it too: what it reads else, the API Worker tells it. */
	readonly operator?: true;
	/** Where it is not set, every call is refused. */
	readonly required?: true;
	/** The form of its value; absent where other code judges: the keys, and what belongs to one network. */
	readonly form?: { readonly matches: RegExp; readonly words: string };
}

const WHOLE = (max: number, words: string) => ({ matches: new RegExp(`^\\d{1,${max}}$`), words });
const USD = { matches: /^\d{1,12}(\.\d{1,2})?$/, words: 'an amount of US dollars, as 10000 or 99.50' };
const ONE_OF = (...choices: string[]) => ({
	matches: new RegExp(`^(?:${choices.join('|')})$`),
	words: choices.join(' or '),
});

const KEYS = [
	{ key: 'SEAL_KEY', of: 'both' },
	{ key: 'SECRETS_KEY', of: 'api' },
	{ key: 'API_KEY_KEY', of: 'api' },
] as const;

/** In the order of the book. */
export const VARIABLES: readonly Variable[] = [
	{ name: 'SANDBOX', of: 'both', form: ONE_OF('on', 'off') },
	{ name: 'PRICES', of: 'both', form: ONE_OF('public', 'sandbox') },
	{ name: 'PRICE_SOURCE_URLS', of: 'both', form: { matches: /^\{[\s\S]*\}$/, words: 'a JSON object' } },
	{ name: 'DEPLOYMENT', of: 'both', form: { matches: DEPLOYMENT_PATTERN, words: DEPLOYMENT_WORDS } },
	{ name: 'LOG_LEVEL', of: 'both', form: ONE_OF('debug', 'info', 'warn', 'error') },
	{ name: 'REGION', of: 'both', secret: true, operator: true },
	{ name: 'NODE_URL_<NETWORK>', of: 'both', secret: true },
	{ name: 'NODE_HEADERS_<NETWORK>', of: 'both', secret: true },
	{ name: 'NODE_CHAIN_<NETWORK>', of: 'both' },
	{ name: 'NODE_POLL_SECONDS_<NETWORK>', of: 'both' },
	{ name: 'NODE_IDLE_POLL_SECONDS_<NETWORK>', of: 'both' },
	...KEYS.flatMap(({ key, of }): Variable[] => [
		{ name: key, of, secret: true, required: true },
		{ name: `${key}_NUMBER`, of },
		{ name: `${key}_NEXT`, of, secret: true },
		{ name: `${key}_PREVIOUS`, of, secret: true },
		{ name: `${key}_CHANGED_AT`, of },
		{ name: `${key}_LEAKED`, of, secret: true },
	]),
	...['OPERATOR_TOKEN', 'OPERATOR_TOKEN_NEXT'].map(
		(name): Variable => ({
			name,
			of: 'api',
			secret: true,
			form: {
				matches: OPERATOR_TOKEN_PATTERN,
				words:
					'at least 43 letters, digits and -._~+/, as 32 random bytes have in base64, and at the end any number of =',
			},
		}),
	),
	{ name: 'SCREENING_URL', of: 'api', secret: true },
	{ name: 'SCREENING_SECRET', of: 'api', secret: true },
	{ name: 'ALERT_WEBHOOK_URL', of: 'api', secret: true },
	{
		name: 'ALERT_WEBHOOK_SECRET',
		of: 'api',
		secret: true,
		form: { matches: /^[\s\S]{16,}$/, words: '16 characters or more' },
	},
	{ name: 'ALERT_QUIET_MINUTES', of: 'api', form: WHOLE(4, 'a whole number of minutes') },
	{
		name: 'SECURITY_CONTACT',
		of: 'api',
		form: {
			matches: /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
			words: 'mailto:somebody@example.com or an https: address',
		},
	},
	{ name: 'METRICS_LOG', of: 'api', form: ONE_OF('on') },
	{ name: 'ADDRESS_POOL', of: 'api', form: WHOLE(4, 'a whole number') },
	{ name: 'WEBHOOK_LOOPBACK', of: 'api', form: ONE_OF('allowed') },
	{
		name: 'ACCESS_TEAM_DOMAIN',
		of: 'api',
		form: {
			matches: /^(?:[a-z0-9-]+\.cloudflareaccess\.com|http:\/\/127\.0\.0\.1:\d{1,5})$/,
			words: 'the team domain of Cloudflare Access, as example.cloudflareaccess.com',
		},
	},
	{
		name: 'ACCESS_AUDIENCE',
		of: 'api',
		form: { matches: /^[\w-]{16,128}$/, words: 'the application audience (AUD) tag of Cloudflare Access' },
	},
	{ name: 'CONSOLE_TOKEN_SIGN_IN', of: 'api', form: ONE_OF('on', 'off') },
	{ name: 'SEED', of: 'signer', secret: true, required: true },
	{ name: 'SIGNER_DAILY_CAP_USD', of: 'signer', form: USD },
	{ name: 'SIGNER_DAILY_REFUND_CAP_USD', of: 'signer', form: USD },
	{ name: 'SIGNER_DAILY_WITHDRAW_CAP_USD', of: 'signer', form: USD },
	{ name: 'SIGNER_RATE_TOLERANCE_BPS', of: 'signer', form: WHOLE(4, 'whole basis points from 0 to 9999') },
	{ name: 'WITHDRAW_TO_<NETWORK>', of: 'signer', secret: true },
	{
		name: 'CONFIRMATIONS_<NETWORK>',
		of: 'signer',
		form: { matches: /^\d{1,6}(?: \d{1,9}:\d{1,6})?$/, words: 'confirmations, as 20 or 20 50000:60' },
	},
	{ name: 'MONERO_WALLET_URL', of: 'signer', secret: true },
	{ name: 'MONERO_COLD_WALLET_URL', of: 'signer', secret: true },
	{ name: 'MONERO_RESTORE_HEIGHT', of: 'signer' },
	{ name: 'PORT', of: 'command' },
	{ name: 'STATE_DIR', of: 'command' },
	{ name: 'SERVICE_URL', of: 'command' },
];

/** By its full name, one of each network where there is one of each. */
export const BY_NAME: ReadonlyMap<string, Variable> = new Map(
	VARIABLES.flatMap((variable) =>
		variable.name.endsWith('<NETWORK>')
			? NETWORK_NAMES.map((network): [string, Variable] => [
					variable.name.replace('<NETWORK>', network.toUpperCase()),
					variable,
				])
			: [[variable.name, variable] as [string, Variable]],
	),
);

/** Is it a variable that this Worker reads? */
export function isVariableOf(worker: Worker, name: string): boolean {
	const variable = BY_NAME.get(name);
	if (worker === 'operator') return variable?.operator ?? false;
	return variable?.of === worker || (variable?.of === 'both' && worker !== 'pages');
}
