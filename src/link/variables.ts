/** The variables of both ends of the link, judged where they are used. Pure. */
import { ConfigurationError } from '../crypto/key-ring.ts';
import type { Other } from './call.ts';
import type { Side } from './signature.ts';

export interface LinkVariables {
	/** Secret: signs every call of the link and every answer; the same at both ends. */
	readonly HOUSE_KEY?: string;
	readonly DEPLOYMENT?: string;
}

const KEY = /^[\w-]{43,}$/;

/** @throws ConfigurationError */
export function keyOf({ HOUSE_KEY: key = '' }: LinkVariables): string {
	if (KEY.test(key)) return key;
	throw new ConfigurationError('HOUSE_KEY is missing, or shorter than 32 random bytes in base64url');
}

export const deploymentOf = ({ DEPLOYMENT = '' }: LinkVariables): string => DEPLOYMENT;

/** The other end, at the address that the variable has. @throws ConfigurationError */
export function otherEnd(variables: LinkVariables, side: Side, name: 'HOUSE_URL' | 'LINK_URL', url = ''): Other {
	const at = URL.canParse(url) ? new URL(url) : null;
	const isPrivate = at?.protocol === 'https:' || (at?.protocol === 'http:' && at.hostname === '127.0.0.1');
	if (!isPrivate) throw new ConfigurationError(`${name} is missing, or no https: address`);
	return { url, side, key: keyOf(variables), deployment: deploymentOf(variables) };
}
