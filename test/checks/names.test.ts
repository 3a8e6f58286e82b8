/** House rules that a name or a statement can break: units of numbers, predicates, and writes without a condition. */
import { describe, expect, it } from 'vitest';
import { bracketed, codeOf, files } from '../support/house.ts';

/** `const NAME = value;` of each file, the value a number or made of named ones. */
const constants = files.flatMap((file) =>
	[...codeOf(file).matchAll(/^(?:export )?const ([A-Z][A-Z_0-9]*) = ([\d_ */+A-Z-]+);$/gm)].map(
		([, name = '', value = '']) => ({ file, name, value }),
	),
);

const found = (wrong: readonly { readonly file: string; readonly name: string }[]) =>
	wrong.map(({ file, name }) => `${file} ${name}`);

describe('a number', () => {
	it('of a time has its unit in its name', () => {
		expect(constants.length).toBeGreaterThan(300);
		const isTime = ({ name, value }: (typeof constants)[number]) =>
			/_(?:MILLISECONDS|SECONDS)\b/.test(value) ||
			/^(?!MAX_|MOST_).*(?:^|_)(?:AGE|DELAY|FRESH|KEPT|LEASE|LIVES|PATIENCE|PAUSE|RETRY|STALE|TIMEOUT|WAIT|YOUNG)$/.test(
				name,
			);
		const hasUnit = ({ name }: { readonly name: string }) => /(?:MILLISECONDS|SECONDS|MINUTES|HOURS|DAYS)$/.test(name);
		expect(found(constants.filter((each) => isTime(each) && !hasUnit(each)))).toEqual([]);
	});

	it('of a size has its unit in its name', () => {
		const wrong = constants.filter(
			({ name, value }) => /\b1_?024\b/.test(value) && !/BYTES?$|BYTES_|LENGTH/.test(name),
		);
		expect(found(wrong)).toEqual([]);
	});
});

describe('a function', () => {
	it('that is named as a question answers yes or no, or is the condition of a query', () => {
		const answers =
			/^(?:readonly )?(?:boolean|Promise<boolean(?: \| null)?>|boolean \| Promise<boolean>|Promise<boolean> \| boolean|SQL(?:<[^>]*>)?(?: \| undefined)?|\w+ is [^;{=]+)$/;
		const questions = files.flatMap((file) => {
			const code = codeOf(file);
			return [
				...code.matchAll(/\b(?:function |const )((?:is|has|may)[A-Z]\w*)(?:<[^>]*>)?(?: = (?:async )?)?\(/g),
			].flatMap(({ index, 0: opening, 1: name }) => {
				const end = index + opening.length;
				const [, type] = /^\): ([^{=]+?) ?(?:=>|\{)/.exec(code.slice(end + bracketed(code, end).length)) ?? [];
				return type ? [{ file, name: name ?? '', type: type.trim() }] : [];
			});
		});
		expect(questions.length).toBeGreaterThan(150);
		expect(questions.filter(({ type }) => !answers.test(type))).toEqual([]);
	});
});

describe('a write', () => {
	/** They mean each row: the site has one, and what was folded is done. */
	const EACH_ROW = ['decisions/mend.ts .update(site).set(', 'treasury/ledger/fold.ts db.delete(ledgerFolds)'];

	it('has a condition: it changes no row that is not what was read', () => {
		const wrong = files.flatMap((file) => {
			const code = codeOf(file);
			const updates = [...code.matchAll(/\.update\(\w+\)\s*\.set\(/g)].filter(({ index, 0: opening }) => {
				const start = index + opening.length;
				return !/^\)\s*\.(?:where|from)\(/.test(code.slice(start + bracketed(code, start).length));
			});
			const deletes = [...code.matchAll(/\bdb\s*\.delete\(\w+\)(?!\s*\.where\()/g)];
			return [...updates, ...deletes].map(([text]) => `${file} ${text.replaceAll(/\s+/g, '')}`);
		});
		expect(wrong).toEqual(EACH_ROW);
	});
});

describe('what many files need', () => {
	it.each([
		['a Drizzle database', /\bdrizzle\(/, 'platform/d1/'],
		['a list of values in a query', /\(select value from json_each\(\$\{JSON/, 'platform/d1/'],
		['a day of UTC', /toISOString\(\)\.slice\(0, (?:10|'')/, 'platform/time.ts'],
		['the milliseconds of a day or an hour', /\b(?:86_400_000|3_600_000)\b/, 'platform/time.ts'],
		['the whole in basis points', /\bBPS = 10_000\b/, 'money/bps.ts'],
	])('has one home: %s', (_, text, home) => {
		const elsewhere = files.filter((file) => !/^(?:sdk|docs)\//.test(file) && !file.startsWith(home));
		expect(elsewhere.filter((file) => text.test(codeOf(file)))).toEqual([]);
	});
});
