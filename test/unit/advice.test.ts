/**
 * What `attention`, `todo` and refusals tell an operator to run: "every message's advice works". Each command that they
 * name is one that there is, whole: with all that its declaration requires. Where the text does not know a value, a word in
 * capitals stands for it, as `ID`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

const SRC = join(import.meta.dirname, '../../src');
/** The help of a command speaks of others by their names: who reads it asks for their help. Endpoints are for partners. */
const FILES = globSync('**/*.{ts,tsx}', { cwd: SRC }).filter((file) => !/^operator\/topics\/|\/endpoints\//.test(file));

/** A value that stands for what a template puts there, by the words around it. */
function filled(command: string): string {
	const value = /^(network|withdraw)/.test(command)
		? 'Ethereum'
		: /^asset/.test(command)
			? 'ETH'
			: /^alert/.test(command)
				? 'journal_lost'
				: /^keys/.test(command)
					? 'SEAL_KEY'
					: '0199a5b2-1c3d-7e4f-8a9b-0c1d2e3f4a5b';
	return command
		.replaceAll(/\$\{[^}]*\}|(?<=^keys plan )NAME/g, value)
		.replaceAll(/(?<=-usd )N\b/g, '1')
		.replaceAll(/\baccept\|hold\|refund\b/g, 'accept');
}

interface Advice {
	readonly file: string;
	readonly command: string;
}

/** Text between backticks, in strings and templates but not in comments, whose first word is a topic. */
function adviceIn(file: string): Advice[] {
	const text = readFileSync(join(SRC, file), 'utf8')
		.replaceAll(/\/\*[\s\S]*?\*\//g, '')
		.replaceAll(/^\s*\/\/.*$/gm, '');
	const inTemplates = [...text.matchAll(/\\`([^`\\]+)\\`/g)];
	const inStrings = [...text.matchAll(/'[^'\n]*'/g)].flatMap(([string]) => [...string.matchAll(/`([^`]+)`/g)]);
	return [...inTemplates, ...inStrings]
		.map(([, command = '']) => ({ file, command: filled(command) }))
		.filter(({ command }) => Object.hasOwn(TOPICS, command.split(' ')[0] ?? '') && command.includes(' '));
}

const ADVICE = FILES.flatMap(adviceIn);

describe('the commands that messages name', () => {
	it('are found', () => {
		expect(ADVICE.length).toBeGreaterThan(30);
		expect(ADVICE.map(({ command }) => command.split(' ').slice(0, 2).join(' '))).toEqual(
			expect.arrayContaining(['order refund', 'payout settle', 'payout give-up', 'network check', 'price list']),
		);
	});

	/** Who is wrong about these pays twice. */
	it('say that nothing was sent, or that a transaction paid something else, only where a person fills it in', () => {
		expect(ADVICE.filter(({ command }) => / --looked| --not (?!T( |$))/.test(command))).toEqual([]);
	});

	it.each(ADVICE)('$command ($file)', ({ command }) => {
		const parsed = parseCommandLine(command.split(' '));
		expect(parsed, JSON.stringify(parsed)).toMatchObject({ kind: 'request' });
	});
});
