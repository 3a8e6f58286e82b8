/** What the Workers are configured with, by setting of a run. */
import { hotAddress } from '../../src/chains/evm/keys.ts';
import { seedOf } from '../../src/chains/seed.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { Authenticator } from '../support/authenticator.ts';
import { EVM_NODE } from './platform/evm-node.ts';

/** Of the networks these are used; the others sleep. */
export const NETWORKS = ['Litecoin', 'Ethereum', 'Solana'] as const;

const SEED = `${'abandon '.repeat(23)}art`;
const KEY = (letter: string): string => Buffer.alloc(32, letter).toString('base64url');
export const OPERATOR_TOKEN = 'operator-token'.padEnd(43, '-');
export const SEAL_KEY = KEY('s');
const SHARED = { SEAL_KEY, LOG_LEVEL: 'error' };
const ON_SANDBOX = { SANDBOX: 'on' };
export const API_VARIABLES: Readonly<Record<string, string>> = {
	...SHARED,
	SECRETS_KEY: KEY('k'),
	API_KEY_KEY: KEY('a'),
	OPERATOR_TOKEN,
	WEBHOOK_LOOPBACK: 'allowed',
};
const AGENTS_VARIABLES = { ...SHARED, ...ON_SANDBOX, ADDRESS_POOL: '50', WEBHOOK_LOOPBACK: 'allowed' };
/** The operator's addresses. To the exchange's goes so much in a day at most, US dollars: less than a run withdraws. */
export const COLD = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
export const EXCHANGE = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
export const EXCHANGE_CAP_USD = 900;
/** Where the operator's person signs, and with which key. */
export const CONSOLE_ORIGIN = 'https://exchange.example';
export const PASSKEY_SECRET = Buffer.alloc(32, 'p');
const PERSON = new Authenticator(CONSOLE_ORIGIN, 'ES256', PASSKEY_SECRET);
const SIGNER_VARIABLES = {
	...SHARED,
	...ON_SANDBOX,
	SEED,
	OPERATOR_PASSKEYS: `ann=${CONSOLE_ORIGIN} ${PERSON.id} ${PERSON.publicKey}`,
	WITHDRAW_TO_LITECOIN: `cold=${COLD}, kraken=${EXCHANGE}/${EXCHANGE_CAP_USD}`,
};
const seed = await seedOf(SEED);
export const HOT_ETHEREUM = hotAddress(seed);
/** The public key of the signer's promises, PEM. */
export const PROMISE_KEY = promiseKeysOf({}, seed).published().keys[0]?.pem ?? '';
/** Wei. */
export const HOT_COINS = 1_000n * 10n ** 18n;
const ON_NODE = { NODE_URL_ETHEREUM: EVM_NODE, NODE_CHAIN_ETHEREUM: 'regtest' };
const CAPS = ['SIGNER_DAILY_CAP_USD', 'SIGNER_DAILY_REFUND_CAP_USD', 'SIGNER_DAILY_WITHDRAW_CAP_USD'];

export const HOUSE = 'https://house.example/';
export const LINK = 'https://link.example/';
export const LINKED = { HOUSE_KEY: KEY('h') };

/** Slower than the usual pace, and far faster than the default: what rests must come to rest while a run watches. */
const SLOW_PACE = Object.fromEntries(NETWORKS.map((name) => [`NODE_IDLE_POLL_SECONDS_${name.toUpperCase()}`, '10']));

export interface Setting {
	/** Ethereum has a node instead of an embedded ledger: there are sweeps and fee bumps. */
	readonly isOnNode: boolean;
	/** The signer's cap of a day's payouts, dollars; null: the sandbox's own. */
	readonly capUsd: number | null;
	/** The signer's journal says that it is large, and each of its volumes is full after some orders. */
	readonly isLarge: boolean;
	/** The signer is in a house of its own, and its calls go over the link. */
	readonly isHoused: boolean;
}

/** Bytes: the journal moves what it can, and still signs. */
const LARGE = 7e9;
/** A volume without entries says that it has some 5 GB, and is closed at 6.5. */
const LARGER_TIMES = 22_000;

export const sizeOfVault = ({ isLarge }: Setting, bytes: number): number => (isLarge ? LARGE : bytes);
export const sizeOfVolume = (bytes: number): number => bytes * LARGER_TIMES;

export const agentsVariables = ({ isOnNode }: Setting): Readonly<Record<string, string>> => ({
	...AGENTS_VARIABLES,
	...SLOW_PACE,
	...(isOnNode && ON_NODE),
});

export const signerVariables = ({ isOnNode, capUsd }: Setting): Readonly<Record<string, string>> => ({
	...SIGNER_VARIABLES,
	...(isOnNode && { ...ON_NODE, ...Object.fromEntries(CAPS.map((name) => [name, '1000000'])) }),
	...(capUsd !== null && { SIGNER_DAILY_CAP_USD: String(capUsd) }),
});
