/**
 * Compiles Solidity once in a run: the compiler takes two seconds to load, in each process that asks for it. The first one
 * leaves what it made in the folder of the run.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runFolders } from './run-folders.ts';

type Codes = Readonly<Record<string, string>>;

interface Output {
	readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
	readonly contracts: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
}

const require = createRequire(import.meta.url);
const made = new Map<string, Codes>();

/** What the EVM runs, hex, by contract. @throws Error with the compiler's words */
export function compiled(source: string, settings: object): Codes {
	const input = JSON.stringify({
		language: 'Solidity',
		sources: { source: { content: source } },
		settings: { ...settings, outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } },
	});
	const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
	const codes = made.get(name) ?? keptOr(name, () => compile(input));
	made.set(name, codes);
	return codes;
}

/** Atomic: a file appears whole. Two processes that compile at the same time write the same. */
function keptOr(name: string, make: () => Codes): Codes {
	const folders = runFolders();
	if (!folders) return make();
	const path = join(folders, `contract-${name}.json`);
	if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Codes;
	const codes = make();
	writeFileSync(`${path}.${process.pid}`, JSON.stringify(codes));
	renameSync(`${path}.${process.pid}`, path);
	return codes;
}

function compile(input: string): Codes {
	// Loaded only where nothing is kept.
	const solc = require('solc') as { compile(input: string): string };
	const { errors = [], contracts } = JSON.parse(solc.compile(input)) as Output;
	const failed = errors.find(({ severity }) => severity === 'error');
	if (failed) throw new Error(failed.formattedMessage);
	return Object.fromEntries(
		Object.entries(contracts['source'] ?? {}).map(([name, { evm }]) => [name, `0x${evm.deployedBytecode.object}`]),
	);
}
