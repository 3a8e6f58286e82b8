/**
 * `setup --local`: the keys for `wrangler dev` on this machine, in the files that wrangler reads and git ignores, and
 * the migrations of the local database. Files that are there stay: their keys open what the local database holds.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { MIGRATIONS } from '../../../platform/d1/migrations.ts';
import { deploymentOf, environmentWords } from './deployment.ts';
import { newKey } from './step.ts';
import { Stopped, type Talk } from './talk.ts';
import { ROOT, runWrangler } from './wrangler.ts';

const STRENGTH_BITS = 256;
const API_FILE = '.dev.vars';
const AGENTS_FILE = 'src/agents/.dev.vars';
const SIGNER_FILE = 'src/signer/.dev.vars';
const FILES = [API_FILE, AGENTS_FILE, SIGNER_FILE];

/** As staging: that environment has a sandbox, and a variable that no configuration names does not reach a Worker here. */
const DEPLOYMENT = deploymentOf('staging');
const DATABASE = [DEPLOYMENT.database, '--local', ...environmentWords(DEPLOYMENT)];
/** As wrangler makes it. */
const APPLIED = `CREATE TABLE d1_migrations
	(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);`;

export async function setUpLocally(talk: Talk, dryRun: boolean): Promise<void> {
	const there = FILES.map((file) => join(ROOT, file)).filter((path) => existsSync(path));
	if (there.length > 0 && there.length < FILES.length) {
		throw new Stopped(
			`${there.join(', ')} is there and another Worker's file is not, and all need the same SEAL_KEY: move it away first`,
		);
	}
	talk.say(`${there.length > 0 ? 'The keys are there:' : 'Keys: write'} ${FILES.join(', ')}`);
	talk.say('Migrations: apply them to the database of wrangler dev');
	if (dryRun) return talk.say('Nothing was changed.');
	if (there.length === 0) {
		writeKeys();
		await migrateAtOnce();
	}
	const ran = await runWrangler(['d1', 'migrations', 'apply', ...DATABASE]);
	if (!ran.ok) throw new Stopped(`the migrations stopped: ${ran.problem}`);
	talk.say(HOW_TO_RUN);
}

/**
 * All migrations of an empty database as one batch: `migrations apply` starts workerd once for each. Where there are tables
 * already the batch fails as a whole; `migrations apply`, which comes next, then does what is left.
 */
async function migrateAtOnce(): Promise<void> {
	const folder = join(ROOT, 'migrations');
	const parts = MIGRATIONS.map(
		(name) => `${readFileSync(join(folder, name), 'utf8')}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`,
	);
	const directory = mkdtempSync(join(tmpdir(), 'exchange-migrations-'));
	const path = join(directory, 'all.sql');
	writeFileSync(path, [APPLIED, ...parts].join('\n'));
	await runWrangler(['d1', 'execute', ...DATABASE, '--yes', '--file', path]);
	rmSync(directory, { recursive: true });
}

function writeKeys(): void {
	const SEAL_KEY = newKey();
	write(API_FILE, { OPERATOR_TOKEN: newKey(), SECRETS_KEY: newKey(), API_KEY_KEY: newKey(), SEAL_KEY });
	write(AGENTS_FILE, { SEAL_KEY });
	write(SIGNER_FILE, { SEED: generateMnemonic(wordlist, STRENGTH_BITS), SEAL_KEY });
}

/** No value has a quote or a dollar sign, which wrangler would read as more than itself. Never over a file that is there. */
function write(file: string, variables: Readonly<Record<string, string>>): void {
	const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"\n`);
	writeFileSync(join(ROOT, file), lines.join(''), { mode: 0o600, flag: 'wx' });
}

const HOW_TO_RUN = `
Run it:      npx wrangler dev --env staging -c wrangler.toml -c src/agents/wrangler.toml \\
               -c src/signer/wrangler.toml -c src/pages/wrangler.toml -c src/operator/wrangler.toml
Start it:    curl http://127.0.0.1:8787/cdn-cgi/handler/scheduled
             (wrangler dev runs no cron: once starts prices and networks)
Operate it:  OPERATOR_TOKEN=(the one in ${API_FILE}) npx exchange network check`;
