/** The house's figures, printed, and held within their limits. */
import { describe, expect, it } from 'vitest';
import { cycles, files, functionsOf, lengthOf, type Measured } from '../support/house.ts';

const MAX_FILE_LINES = 250;
const MAX_MEDIAN_LINES = 80;
const MAX_P90_LINES = 150;
const MAX_FUNCTION_LINES = 60;

/** Files that are too long today, with the lines that they may have at most. The list may only shrink. */
const TOO_LONG: Readonly<Record<string, number>> = {
	'chains/port.ts': 328,
	'operator/cli/settings-commands.ts': 266,
	'signer/journal/journal.ts': 272,
	'signer/vault.ts': 448,
	'treasury/agent.ts': 402,
};

/** Functions likewise. */
const TOO_LONG_FUNCTIONS: Readonly<Record<string, number>> = {
	'operator/commands/order.ts showOrder': 68,
};

const lengths = files.map((file) => ({ name: file, lines: lengthOf(file) }));
const functions = files.flatMap(functionsOf);

const quantile = (numbers: readonly number[], share: number): number =>
	numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? 0;

/** Nothing is longer than `most` but the exceptions, and each exception is still needed. */
function expectWithin(measured: readonly Measured[], most: number, exceptions: Readonly<Record<string, number>>): void {
	const long = measured.filter(({ lines }) => lines > most);
	expect(long.filter(({ name, lines }) => lines > (exceptions[name] ?? 0))).toEqual([]);
	expect(Object.keys(exceptions).filter((name) => !long.some((each) => each.name === name))).toEqual([]);
}

const longest = (measured: readonly Measured[]) => measured.reduce((a, b) => (b.lines > a.lines ? b : a));

describe('the figures of the house', () => {
	const sizes = lengths.map(({ lines }) => lines);
	const [median, p90] = [quantile(sizes, 0.5), quantile(sizes, 0.9)];

	it('are printed', () => {
		const [file, fn] = [longest(lengths), longest(functions)];
		console.log(
			[
				`${files.length} files, ${sizes.reduce((a, b) => a + b, 0)} lines: median ${median}, p90 ${p90}`,
				`longest file ${file.lines} (${file.name}), longer than ${MAX_FILE_LINES}: ${sizes.filter((n) => n > MAX_FILE_LINES).length}`,
				`${functions.length} functions, longest ${fn.lines} (${fn.name})`,
				`import cycles, types included: ${cycles().length}`,
			].join('\n'),
		);
		expect(functions.length).toBeGreaterThan(files.length);
	});

	it('no file is longer than 250 lines', () => {
		expectWithin(lengths, MAX_FILE_LINES, TOO_LONG);
	});

	it('half of the files have at most 80 lines, and nine of ten at most 150', () => {
		expect(median).toBeLessThanOrEqual(MAX_MEDIAN_LINES);
		expect(p90).toBeLessThanOrEqual(MAX_P90_LINES);
	});

	it('no function is longer than 60 lines', () => {
		expectWithin(functions, MAX_FUNCTION_LINES, TOO_LONG_FUNCTIONS);
	});
});
