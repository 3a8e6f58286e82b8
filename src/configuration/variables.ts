/**
 * Every variable of the service: which Worker has it, whether it is a secret, and what it must look like. The start on
 * this machine, the log and `doctor` check by this table, and the tables of the book (deploy, "Configuration") are
 * compared with it. Pure.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { DEPLOYMENT_PATTERN, DEPLOYMENT_WORDS } from '../crypto/key-ring.ts';
import { OPERATOR_TOKEN_PATTERN } from '../crypto/tokens.ts';

/** `link`: what is in the signer's place where the signer is in a house of its own. */
export type Worker = 'api' | 'agents' | 'signer' | 'pages' | 'operator' | 'link';

interface Variable {
	/** `<NETWORK>` in it stands for each network's name in capitals. */
	readonly name: string;
	/** The Workers that have it; `command`: none has, but `npm start` and `npx exchange`. */
	readonly of: readonly (Worker | 'command')[];
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

const HTTPS = {
	matches: /^(?:https:\/\/\S+|http:\/\/127\.0\.0\.1:\d{1,5}\/?)$/,
	words: 'an https: address, or one on 127.0.0.1',
};

const LINK_KEY = {
	matches: /^[\w-]{43,}$/,
	words: 'at least 43 letters, digits, - and _, as 32 random bytes have in base64url',
};

const API = ['api'] as const;
const AGENTS = ['agents'] as const;
const SIGNER = ['signer'] as const;
/** Who seals, or believes a seal. */
const SEALING = ['api', 'agents', 'signer'] as const;
const LINK = ['link'] as const;
/** Who asks the chains. */
const CHAINS = ['agents', 'signer'] as const;
/** Who asks the sources of prices. */
const PRICING = ['api', 'signer'] as const;
/** Who calls the operator's own servers, and measures. */
const CALLING = ['api', 'agents'] as const;

const KEYS = [
	{ key: 'SEAL_KEY', of: SEALING },
	{ key: 'SECRETS_KEY', of: API },
	{ key: 'API_KEY_KEY', of: API },
] as const;

/** In the order of the book. */
export const VARIABLES: readonly Variable[] = [
	{ name: 'SANDBOX', of: CHAINS, form: ONE_OF('on', 'off') },
	{ name: 'PRICES', of: PRICING, form: ONE_OF('public', 'sandbox') },
	{ name: 'SANDBOX_VISITORS', of: API, form: WHOLE(4, 'a whole number of visitors a day') },
	{
		name: 'SANDBOX_URL',
		of: API,
		form: { matches: /^https:\/\/[^\s/]+$/, words: 'an origin, as https://sandbox.example' },
	},
	{ name: 'PRICE_SOURCE_URLS', of: PRICING, form: { matches: /^\{[\s\S]*\}$/, words: 'a JSON object' } },
	{ name: 'DEPLOYMENT', of: [...SEALING, ...LINK], form: { matches: DEPLOYMENT_PATTERN, words: DEPLOYMENT_WORDS } },
	{ name: 'LOG_LEVEL', of: SEALING, form: ONE_OF('debug', 'info', 'warn', 'error') },
	{ name: 'REGION', of: [...SEALING, ...LINK], secret: true, operator: true },
	{ name: 'NODE_URL_<NETWORK>', of: CHAINS, secret: true },
	{ name: 'NODE_HEADERS_<NETWORK>', of: CHAINS, secret: true },
	{ name: 'NODE_CHAIN_<NETWORK>', of: CHAINS },
	{ name: 'NODE_POLL_SECONDS_<NETWORK>', of: CHAINS },
	{ name: 'NODE_IDLE_POLL_SECONDS_<NETWORK>', of: CHAINS },
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
			of: API,
			secret: true,
			form: {
				matches: OPERATOR_TOKEN_PATTERN,
				words:
					'at least 43 letters, digits and -._~+/, as 32 random bytes have in base64, and at the end any number of =',
			},
		}),
	),
	{ name: 'SCREENING_URL', of: AGENTS, secret: true },
	{ name: 'SCREENING_SECRET', of: AGENTS, secret: true },
	{ name: 'ALERT_WEBHOOK_URL', of: API, secret: true },
	{
		name: 'ALERT_WEBHOOK_SECRET',
		of: API,
		secret: true,
		form: { matches: /^[\s\S]{16,}$/, words: '16 characters or more' },
	},
	{ name: 'ALERT_QUIET_MINUTES', of: API, form: WHOLE(4, 'a whole number of minutes') },
	{
		name: 'SECURITY_CONTACT',
		of: API,
		form: {
			matches: /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
			words: 'mailto:somebody@example.com or an https: address',
		},
	},
	{
		name: 'SUPPORT_CONTACT',
		of: API,
		form: { matches: /^(?:[^\s@:]+@[^\s@]+|https:\/\/\S+)$/, words: 'a mail address or an https: address' },
	},
	{ name: 'METRICS_LOG', of: CALLING, form: ONE_OF('on') },
	{ name: 'ADDRESS_POOL', of: AGENTS, form: WHOLE(4, 'a whole number') },
	{ name: 'WEBHOOK_LOOPBACK', of: CALLING, form: ONE_OF('allowed') },
	{
		name: 'ACCESS_TEAM_DOMAIN',
		of: API,
		form: {
			matches: /^(?:[a-z0-9-]+\.cloudflareaccess\.com|http:\/\/127\.0\.0\.1:\d{1,5})$/,
			words: 'the team domain of Cloudflare Access, as example.cloudflareaccess.com',
		},
	},
	{
		name: 'ACCESS_AUDIENCE',
		of: API,
		form: { matches: /^[\w-]{16,128}$/, words: 'the application audience (AUD) tag of Cloudflare Access' },
	},
	{
		name: 'ACCESS_ROLES',
		of: API,
		form: {
			matches: /^\s*(?:view|support|admin)\s*=[^;]+(?:;\s*(?:view|support|admin)\s*=[^;]+)*$/,
			words: 'roles and groups of Cloudflare Access, as admin=Owners; support=Help desk; view=Staff',
		},
	},
	{ name: 'CONSOLE_TOKEN_SIGN_IN', of: API, form: ONE_OF('on', 'off') },
	{ name: 'SEED', of: SIGNER, secret: true, required: true },
	{ name: 'SIGNER_DAILY_CAP_USD', of: SIGNER, form: USD },
	{ name: 'SIGNER_DAILY_REFUND_CAP_USD', of: SIGNER, form: USD },
	{ name: 'SIGNER_DAILY_WITHDRAW_CAP_USD', of: SIGNER, form: USD },
	{ name: 'SIGNER_RATE_TOLERANCE_BPS', of: SIGNER, form: WHOLE(4, 'whole basis points from 0 to 9999') },
	{
		name: 'PROMISE_KEYS_CHANGED_AT',
		of: SIGNER,
		form: { matches: /^\d{1,11}(?:, ?\d{1,11})*$/, words: 'rising Unix seconds with commas between them' },
	},
	{ name: 'WITHDRAW_TO_<NETWORK>', of: SIGNER, secret: true },
	{ name: 'OPERATOR_PASSKEYS', of: SIGNER, secret: true },
	{ name: 'OPERATOR_TWO_ABOVE_USD', of: SIGNER, form: USD },
	{
		name: 'CONFIRMATIONS_<NETWORK>',
		of: SIGNER,
		form: { matches: /^\d{1,6}(?: \d{1,9}:\d{1,6})?$/, words: 'confirmations, as 20 or 20 50000:60' },
	},
	{ name: 'MONERO_WALLET_URL', of: SIGNER, secret: true },
	{ name: 'MONERO_COLD_WALLET_URL', of: SIGNER, secret: true },
	{ name: 'MONERO_RESTORE_HEIGHT', of: SIGNER },
	{ name: 'HOUSE_URL', of: LINK, secret: true, form: HTTPS },
	{ name: 'LINK_URL', of: SIGNER, secret: true, form: HTTPS },
	{ name: 'HOUSE_KEY', of: [...LINK, ...SIGNER], secret: true, form: LINK_KEY },
	{ name: 'COSIGNER_URL', of: SIGNER, secret: true, form: HTTPS },
	{ name: 'COSIGNER_KEY', of: SIGNER, secret: true, form: LINK_KEY },
	{
		name: 'COSIGNER_JOURNAL',
		of: SIGNER,
		form: { matches: /^\d+\/\d+$/, words: 'when a journal began and its entries, as the refusal shows them' },
	},
	{
		name: 'COSIGNED',
		of: SIGNER,
		form: { matches: /^[A-Za-z]+(?:, ?[A-Za-z]+)*$/, words: 'names of networks with commas between them' },
	},
	{ name: 'OTHER_JUDGE_<NETWORK>', of: SIGNER, secret: true },
	{ name: 'PORT', of: ['command'] },
	{ name: 'STATE_DIR', of: ['command'] },
	{ name: 'LINK_PORT', of: ['command'] },
	{ name: 'SERVICE_URL', of: ['command'] },
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
	return variable?.of.includes(worker) ?? false;
}
