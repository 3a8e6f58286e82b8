/**
 * Development secrets: made at the first start, kept in the state folder, readable by its owner alone. A deployment
 * has real ones, set with `wrangler secret put`; nothing here is ever used there.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

export interface LocalSecrets {
	readonly OPERATOR_TOKEN: string;
	readonly SECRETS_KEY: string;
	readonly API_KEY_KEY: string;
	readonly SEAL_KEY: string;
	/** The signer's alone. */
	readonly SEED: string;
}

const randomKey = (): string => randomBytes(32).toString('base64url');

/** Reads the folder's secrets, or makes them. Atomic: the file appears whole or not at all. */
export function localSecrets(stateDirectory: string): LocalSecrets {
	mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
	const path = join(stateDirectory, 'secrets.json');
	if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as LocalSecrets;
	const secrets: LocalSecrets = {
		OPERATOR_TOKEN: randomKey(),
		SECRETS_KEY: randomKey(),
		API_KEY_KEY: randomKey(),
		SEAL_KEY: randomKey(),
		SEED: generateMnemonic(wordlist, 256),
	};
	writeFileSync(`${path}.new`, JSON.stringify(secrets, null, '\t'), { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
	return secrets;
}
