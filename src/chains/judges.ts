/** Which networks two judges sign, and whose keys the other one has there, by this judge's own variables. Pure. */
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { type ChainConfiguration, chainOf, type NodeChain } from './configuration.ts';
import type { Judges } from './judge-keys.ts';

export type JudgeVariables = {
	/** Names of the networks whose payments both judges sign, with commas between them. */
	readonly COSIGNED?: string;
	/** Set by the co-signer's own code, and by no variable. */
	readonly judge?: 'cosigner';
} & {
	/**
	 * The other judge's keys there: two extended public keys (BIP32) with a space between them, `xpub` of a main chain and `tpub` of
	 * a test chain. On Solana a key and its signature, or the hot address of the one that signs alone.
	 */
	readonly [key in `OTHER_JUDGE_${Uppercase<NetworkName>}`]?: string;
};

const KEYS = /^([xt]pub[1-9A-HJ-NP-Za-km-z]{100,120}) ([xt]pub[1-9A-HJ-NP-Za-km-z]{100,120})$/;
const PREFIX: Readonly<Record<NodeChain, string>> = { main: 'xpub', regtest: 'tpub' };
/** The first bytes of an extended public key, to which these prefixes belong (BIP32, "Serialization format"). */
const VERSION: Readonly<Record<NodeChain, readonly number[]>> = {
	main: [0x04, 0x88, 0xb2, 0x1e],
	regtest: [0x04, 0x35, 0x87, 0xcf],
};
const base58check = createBase58check(sha256);
/** With a signature where both sign. */
const SOLANA_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}(?<signature> [1-9A-HJ-NP-Za-km-z]{64,88})?$/;

/** @throws ConfigurationError where it names no network: one that is mistyped must not be signed by one judge alone */
export function isCosigned({ COSIGNED = '' }: JudgeVariables, network: NetworkName): boolean {
	const names = COSIGNED.split(',').flatMap((name) => name.trim() || []);
	const unknown = names.find((name) => !NETWORK_NAMES.some((known) => known === name));
	if (unknown !== undefined) throw new ConfigurationError(`COSIGNED names ${unknown}, which is no network`);
	return names.includes(network);
}

/** The same key, as a key of that chain. `text`: as `KEYS` has it. @throws Error where its check sum is wrong */
export const keyOn = (chain: NodeChain, text: string): string =>
	base58check.encode(Uint8Array.of(...VERSION[chain], ...base58check.decode(text).subarray(VERSION.main.length)));

/**
 * Undefined where one judge decides alone. @throws ConfigurationError where the co-signer lacks the signer's keys, or has those of
 * another chain
 */
export function judgesOf(env: JudgeVariables & ChainConfiguration, network: NetworkName): Judges | undefined {
	const role = env.judge ?? 'signer';
	const both = isCosigned(env, network);
	if (role === 'signer' && !both) return undefined;
	const name = `OTHER_JUDGE_${network.toUpperCase() as Uppercase<NetworkName>}` as const;
	const text = env[name]?.trim() ?? '';
	if (networkNamed(network).family === 'solana') {
		const found = SOLANA_KEY.exec(text);
		if (!found || (found.groups?.['signature'] !== undefined) !== both)
			throw new ConfigurationError(`${name} is missing, or not ${both ? 'a key and its signature' : 'an address'}`);
		return { role, isCosigned: both, other: { payIn: '', hot: text } };
	}
	const [, payIn, hot] = KEYS.exec(text) ?? [];
	if (payIn === undefined || hot === undefined)
		throw new ConfigurationError(`${name} is missing, or not two extended public keys with a space between them`);
	const chain = chainOf(env, network);
	if (![payIn, hot].every((key) => key.startsWith(PREFIX[chain])))
		throw new ConfigurationError(otherChain(name, chain));
	// Derivation knows one version.
	const other = chain === 'main' ? { payIn, hot } : { payIn: keyOn('main', payIn), hot: keyOn('main', hot) };
	return { role, isCosigned: both, other };
}

function otherChain(variable: string, chain: NodeChain): string {
	const setting = variable.replace('OTHER_JUDGE', 'NODE_CHAIN');
	return chain === 'main'
		? `${variable} has keys of a test chain (tpub), and this judge is on the main chain: print them without ${setting}`
		: `${variable} has keys of the main chain (xpub), and this judge is on a test chain: print them with ${setting}=${chain}`;
}
