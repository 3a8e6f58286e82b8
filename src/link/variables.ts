/** The variables of both ends of a link, judged where they are used. Pure. */
import { ConfigurationError } from '../crypto/key-ring.ts';
import type { Side } from './signature.ts';

export interface LinkVariables {
	/** Secret: signs every call of the link and every answer; the same at both ends. */
	readonly HOUSE_KEY?: string;
	readonly DEPLOYMENT?: string;
}

/** The same between the signer and the co-signer. */
export interface CosignerVariables extends Pick<LinkVariables, 'DEPLOYMENT'> {
	readonly COSIGNER_KEY?: string;
}

export type Variables = LinkVariables & CosignerVariables;
type KeyName = 'HOUSE_KEY' | 'COSIGNER_KEY';

const KEY = /^[\w-]{43,}$/;

/** @throws ConfigurationError */
export function keyOf(variables: Variables, name: KeyName = 'HOUSE_KEY'): string {
	const key = variables[name] ?? '';
	if (KEY.test(key)) return key;
	throw new ConfigurationError(`${name} is missing, or shorter than 32 random bytes in base64url`);
}

export const deploymentOf = ({ DEPLOYMENT = '' }: Variables): string => DEPLOYMENT;

export const KEYS: Readonly<Record<Side, KeyName>> = {
	signer: 'HOUSE_KEY',
	rows: 'HOUSE_KEY',
	cosigner: 'COSIGNER_KEY',
};

/** The other end, at the address that the variable has. @throws ConfigurationError */
export function otherEnd(variables: Variables, side: Side, name: 'HOUSE_URL' | 'LINK_URL' | 'COSIGNER_URL', url = '') {
	const at = URL.canParse(url) ? new URL(url) : null;
	const isPrivate = at?.protocol === 'https:' || (at?.protocol === 'http:' && at.hostname === '127.0.0.1');
	if (!isPrivate) throw new ConfigurationError(`${name} is missing, or no https: address`);
	return { url, side, key: keyOf(variables, KEYS[side]), deployment: deploymentOf(variables) };
}
