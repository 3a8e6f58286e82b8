/** What the Workers are configured with, by setting of a run. */
import { hotAddress } from '../../src/chains/evm/keys.ts';
import { seedOf } from '../../src/chains/seed.ts';
import { judgeVariables } from '../../src/chains/signing-registry.ts';
import { hotKey as tronHotKey } from '../../src/chains/tron/keys.ts';
import { OPERATIONS } from '../../src/chains/tron/permissions.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { Authenticator } from '../support/authenticator.ts';
import { hash20 } from '../support/tron-abi.ts';
import type { Permissions } from '../support/tron-protobuf.ts';
import { EVM_NODE } from './platform/evm-node.ts';

/** Of the networks these are used; the others sleep. */
export const NETWORKS = ['Litecoin', 'Ethereum', 'Solana'] as const;
/** The same where two judges sign: Tron's payments are signed by both. */
const COSIGNED_NETWORKS = [...NETWORKS, 'Tron'] as const;
export const networksOf = ({ second }: Setting) => (second ? COSIGNED_NETWORKS : NETWORKS);

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

/** Both judges' nodes; the co-signer has nodes of its own. */
const TRON_NODE = 'http://127.0.0.1:8090';
const THEIR_TRON_NODE = 'http://127.0.0.1:8091';
const THEIR_EVM_NODE = 'http://127.0.0.1:8546';
export const EVM_NODES: readonly string[] = [EVM_NODE, THEIR_EVM_NODE];
export const TRON_NODES: readonly string[] = [TRON_NODE, THEIR_TRON_NODE];
const ON_TRON = { NODE_URL_TRON: TRON_NODE, NODE_CHAIN_TRON: 'regtest' };
/** Polled once for each of its blocks. */
const TRON_PACE = { NODE_POLL_SECONDS_TRON: '12', NODE_IDLE_POLL_SECONDS_TRON: '12' };
export const COSIGNER = 'https://cosigner.example/';
export const COSIGNER_KEY = KEY('c');
const COSIGNER_SEED = `${'zoo '.repeat(23)}vote`;
const theirSeed = await seedOf(COSIGNER_SEED);
const BOTH = { COSIGNED: 'Tron', COSIGNER_KEY };
/** The keys of both for the account on Tron. */
export const JUDGE_KEYS = [tronHotKey(seed), tronHotKey(theirSeed)] as const;
export const HOT_TRON = JUDGE_KEYS[0].address;
/** Sun. */
export const HOT_SUN = 1_000_000n * 10n ** 6n;
const needsBoth = { threshold: 2, keys: JUDGE_KEYS.map(({ address }) => ({ hash: hash20(address), weight: 1 })) };
export const JUDGES_PERMISSIONS: Permissions = {
	owner: { ...needsBoth, id: 0, name: 'owner', operations: '' },
	actives: [{ ...needsBoth, id: 2, name: 'judges', operations: OPERATIONS }],
};

/** A judge's variables with the public keys of the other one's seed. */
function keysOf(other: Uint8Array): Readonly<Record<string, string>> {
	const all = judgeVariables({ ...ON_NODE, ...ON_TRON, ...BOTH }, other);
	return Object.fromEntries(Object.entries(all).filter(([name]) => /TRON|ETHEREUM/.test(name)));
}
const THEIR_KEYS = keysOf(theirSeed);
const OUR_KEYS = keysOf(seed);

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
	/** Absent where the signer decides alone; else the payments on Tron have two judges, and both networks nodes. */
	readonly second?: SecondJudge;
}

/** Whether both judges are honest, or somebody owns the one or the other whole. */
export type SecondJudge = 'honest' | 'owned signer' | 'owned co-signer';

/** Bytes: the journal moves what it can, and still signs. */
const LARGE = 7e9;
/** A volume without entries says that it has some 5 GB, and is closed at 6.5. */
const LARGER_TIMES = 22_000;

export const sizeOfVault = ({ isLarge }: Setting, bytes: number): number => (isLarge ? LARGE : bytes);
export const sizeOfVolume = (bytes: number): number => bytes * LARGER_TIMES;

export const agentsVariables = ({ isOnNode, second }: Setting): Readonly<Record<string, string>> => ({
	...AGENTS_VARIABLES,
	...SLOW_PACE,
	...(isOnNode && ON_NODE),
	...(second && { ...ON_TRON, ...TRON_PACE }),
});

const NODE_CAPS = Object.fromEntries(CAPS.map((name) => [name, '1000000']));

export const signerVariables = ({ isOnNode, capUsd, second }: Setting): Readonly<Record<string, string>> => ({
	...SIGNER_VARIABLES,
	...(isOnNode && { ...ON_NODE, ...NODE_CAPS }),
	...(second && { ...ON_TRON, ...BOTH, ...THEIR_KEYS, COSIGNER_URL: COSIGNER }),
	...(capUsd !== null && { SIGNER_DAILY_CAP_USD: String(capUsd) }),
});

export const COSIGNER_VARIABLES: Readonly<Record<string, string>> = {
	...SIGNER_VARIABLES,
	SEED: COSIGNER_SEED,
	...NODE_CAPS,
	...ON_NODE,
	...ON_TRON,
	NODE_URL_ETHEREUM: THEIR_EVM_NODE,
	NODE_URL_TRON: THEIR_TRON_NODE,
	...BOTH,
	...OUR_KEYS,
};
