/** Prints the sizes of files and functions, and checks them against their limits. */
import { describe, expect, it } from 'vitest';
import { cycles, files, functionsOf, lengthOf, type Measured } from '../support/house.ts';

const MAX_FILE_LINES = 250;
const MAX_MEDIAN_LINES = 80;
const MAX_P90_LINES = 150;
const MAX_FUNCTION_LINES = 60;

const lengths = files.map((file) => ({ name: file, lines: lengthOf(file) }));
const functions = files.flatMap(functionsOf);

const quantile = (numbers: readonly number[], share: number): number =>
	numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? 0;

/** Those that are longer than `most`. */
const longerThan = (measured: readonly Measured[], most: number) => measured.filter(({ lines }) => lines > most);

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
		expect(longerThan(lengths, MAX_FILE_LINES)).toEqual([]);
	});

	it('half of the files have at most 80 lines, and nine of ten at most 150', () => {
		expect(median).toBeLessThanOrEqual(MAX_MEDIAN_LINES);
		expect(p90).toBeLessThanOrEqual(MAX_P90_LINES);
	});

	it('no function is longer than 60 lines', () => {
		expect(longerThan(functions, MAX_FUNCTION_LINES)).toEqual([]);
	});
});
