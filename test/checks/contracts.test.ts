/** The contracts of the tests: their code is what the compiler makes of their source. `npm run contracts` makes it again. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { codeOf, SETTINGS, type Source, sourceOf } from '../support/contracts/compiled.ts';

interface Output {
	readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
	readonly contracts: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
}

const require = createRequire(import.meta.url);
/** It has no types. */
const solc = require('solc') as { compile(input: string): string };

it.each(Object.keys(SETTINGS) as Source[])('the code of %s is what the compiler makes of it', async (source) => {
	const input = {
		language: 'Solidity',
		sources: { source: { content: readFileSync(sourceOf(source), 'utf8') } },
		settings: { ...SETTINGS[source], outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } },
	};
	const { errors = [], contracts }: Output = JSON.parse(solc.compile(JSON.stringify(input)));
	expect(errors.filter(({ severity }) => severity === 'error')).toEqual([]);
	const codes = Object.entries(contracts['source'] ?? {}).map(([name, { evm }]) => [
		name,
		`0x${evm.deployedBytecode.object}`,
	]);
	await expect(`${JSON.stringify(Object.fromEntries(codes), null, '\t')}\n`).toMatchFileSnapshot(codeOf(source));
});
