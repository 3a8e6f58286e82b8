/**
 * Development secrets: made at the first start, kept in the state folder, readable by its owner alone. A deployment
 * has real ones, set with `wrangler secret put`; nothing here is ever used there.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { makeStateFolder } from './state-folder.ts';

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
	makeStateFolder(stateDirectory);
	const path = join(stateDirectory, 'secrets.json');
	if (existsSync(path)) return readSecrets(path);
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

const NAMES = ['OPERATOR_TOKEN', 'SECRETS_KEY', 'API_KEY_KEY', 'SEAL_KEY', 'SEED'] as const;

/** @throws Error, one line: what was made with lost secrets cannot be read, so none are made in their place */
function readSecrets(path: string): LocalSecrets {
	let found: Partial<LocalSecrets> | null;
	try {
		found = Object(JSON.parse(readFileSync(path, 'utf8')));
	} catch {
		found = null;
	}
	const missing = NAMES.filter((name) => typeof found?.[name] !== 'string');
	if (found && missing.length === 0) return found as LocalSecrets;
	const what = found ? `has no ${missing.join(', ')}` : 'is not the JSON that npm start wrote';
	throw new Error(`${path} ${what}: put the file back, or remove the folder to start again`);
}
