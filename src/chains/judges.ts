/** Which networks two judges sign, and whose keys the other one has there, by this judge's own variables. Pure. */
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import type { Judges } from './judge-keys.ts';

export type JudgeVariables = {
	/** Names of the networks whose payments both judges sign, with commas between them. */
	readonly COSIGNED?: string;
	/** Set by the co-signer's own code, and by no variable. */
	readonly judge?: 'cosigner';
} & {
	/**
	 * The other judge's keys there: two extended public keys (BIP32) with a space between them. On Solana a key and its signature, or
	 * the hot address of the one that signs alone.
	 */
	readonly [key in `OTHER_JUDGE_${Uppercase<NetworkName>}`]?: string;
};

const KEYS = /^(xpub[1-9A-HJ-NP-Za-km-z]{100,120}) (xpub[1-9A-HJ-NP-Za-km-z]{100,120})$/;
/** With a signature where both sign. */
const SOLANA_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}(?<signature> [1-9A-HJ-NP-Za-km-z]{64,88})?$/;

/** @throws ConfigurationError where it names no network: one that is mistyped must not be signed by one judge alone */
export function isCosigned({ COSIGNED = '' }: JudgeVariables, network: NetworkName): boolean {
	const names = COSIGNED.split(',').flatMap((name) => name.trim() || []);
	const unknown = names.find((name) => !NETWORK_NAMES.some((known) => known === name));
	if (unknown !== undefined) throw new ConfigurationError(`COSIGNED names ${unknown}, which is no network`);
	return names.includes(network);
}

/** Undefined where one judge decides alone. @throws ConfigurationError where the co-signer lacks the signer's keys */
export function judgesOf(env: JudgeVariables, network: NetworkName): Judges | undefined {
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
	return { role, isCosigned: both, other: { payIn, hot } };
}
