/**
 * The operator's chapters list everything: every command, every log event, and every reason why the signer refuses or a
 * transaction stops.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/configuration/variables.ts';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { EVENTS } from '../../src/platform/log.ts';
import { POINTS } from '../../src/platform/metrics/points.ts';

const TREASURY = join(import.meta.dirname, '../../src/treasury');

const OPERATORS = ['deploy', 'run', 'cabinet', 'bad-hour', 'years'];

const section = (heading: string): string =>
	CHAPTERS.filter(({ name }) => OPERATORS.includes(name))
		.flatMap(({ text }) => text.split(/^## /m))
		.find((each) => each.startsWith(`${heading}\n`)) ?? '';

/** The keys of a table of kinds, read from its source file. */
const kindsIn = (file: string, key: RegExp): string[] =>
	[...readFileSync(join(TREASURY, file), 'utf8').matchAll(key)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The cells of a section's tables, but for headings and rules. */
const rowsOf = (heading: string): string[][] =>
	[...section(heading).matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));

const eventRows = () => rowsOf('Log events');

describe('the operator’s chapters', () => {
	it.each(OPERATORS)('“%s” has at most 450 lines', (chapter) => {
		const text = CHAPTERS.find(({ name }) => name === chapter)?.text ?? '';
		expect(text).not.toBe('');
		expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(450);
	});

	it('has every command', () => {
		const commands = Object.entries(TOPICS).flatMap(([topic, { commands: verbs }]) =>
			Object.keys(verbs).map((verb) => `${topic} ${verb}`.trim()),
		);
		const listed = section('Commands').replaceAll(
			/`([^`]+)`/g,
			(_, code: string) => `\`${code.replaceAll(/ [A-Z[-].*$/g, '')}\``,
		);
		expect(commands.length).toBeGreaterThan(30);
		expect(commands.filter((command) => !listed.includes(`\`${command}\``))).toEqual([]);
	});

	it('has every variable, says which are secrets, and has no other', () => {
		const [workers = '', ...alone] = section('Configuration').split(/^Of the /m);
		const rowsOf = (part: string) =>
			[...part.matchAll(/^\| `([\w<>]+)` \| (secret)?/gm)].map(([, name, secret]) => [name, Boolean(secret)]);
		const tables = [workers, ...alone].map(rowsOf);
		const ofHouse = CHAPTERS.find(({ name }) => name === 'house')?.text ?? '';
		const inHouse = new Set(
			[...ofHouse.matchAll(/^\| `(\w+)` \| (?:link|house|both|`npm start`) \|/gm)].map(([, name]) => name),
		);
		expect([...inHouse].toSorted()).toEqual(['HOUSE_KEY', 'HOUSE_URL', 'LINK_PORT', 'LINK_URL']);
		const ofCosigner = CHAPTERS.find(({ name }) => name === 'cosigner')?.text ?? '';
		const rows = /^\| `([\w<>]+)` \| (?:signer|both) \| (secret)?/gm;
		const ofJudges = [...ofCosigner.matchAll(rows)].map(([, name = '', secret]) => [name, Boolean(secret)] as const);
		expect(ofJudges.map(String).toSorted()).toEqual(
			VARIABLES.filter(({ name }) => /^COSIGNE|^OTHER_JUDGE/.test(name))
				.map(({ name, secret }) => `${name},${Boolean(secret)}`)
				.toSorted(),
		);
		const elsewhere = new Set([...inHouse, ...ofJudges.map(([name]) => name)]);
		const inTables = VARIABLES.filter(({ name }) => !elsewhere.has(name));
		const known = ['', 'api', 'agents', 'signer', 'command'].map((of) =>
			inTables
				.filter((variable) => (variable.of.length > 1 ? '' : variable.of.join()) === of)
				.map(({ name, secret }) => [name, Boolean(secret)]),
		);
		const sorted = (lists: unknown[][][]) => lists.map((list) => list.map(String).toSorted());
		expect(sorted(tables)).toEqual(sorted(known));
	});

	it('has every log event with its level, and no other', () => {
		const events = Object.entries(EVENTS).map(([event, level]) => `${event}: ${level}`);
		const listed = eventRows().flatMap(([names = '', level]) =>
			names
				.replaceAll('`', '')
				.split(',')
				.map((name) => `${name.trim()}: ${level}`),
		);
		expect(listed.toSorted()).toEqual(events.toSorted());
	});

	it('says of every log event what it means and what to do', () => {
		const rows = eventRows();
		expect(rows.length).toBeGreaterThan(40);
		expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell === ''))).toEqual([]);
	});

	it('has every metric with its labels and values, and no other', () => {
		const points = Object.entries(POINTS).map(([name, { labels, values }]) => [
			`\`${name}\``,
			labels.join(', '),
			values.join(', '),
		]);
		const listed = rowsOf('Metrics').map(([name, labels, values]) => [name, labels, values]);
		expect(listed).toEqual(points);
	});

	it.each([
		{ file: 'signer-refusal.ts', key: /^\t(?:'([\w-]+)'|(\w+)): (?:byItself|afterPerson|never|noBump|rule)\b/gm },
		{ file: 'transactions/stop-reason.ts', key: /^\t(?:'([\w-]+)'|(\w+)): \([{_]/gm },
	])('has every kind of $file', ({ file, key }) => {
		const kinds = kindsIn(file, key);
		const listed = section('What blocks or delays a transaction');
		expect(kinds.length).toBeGreaterThan(10);
		expect(kinds.filter((kind) => !listed.includes(`\`${kind}\``))).toEqual([]);
	});
});
