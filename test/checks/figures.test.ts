/**
 * The figures of the house, printed as one table. A figure above its limit fails; `wanted` says where a limit is to go, and
 * fails nothing. A limit is what was reached last: it may be lowered at any time, and is raised by nobody.
 *
 * A room is a folder or a file at the top of `src`. An arrow leads from a room to one of which it imports something, types
 * too. Rooms stand above all whose values they import; an arrow of types alone to one as high or higher leads back up. A
 * hop is a function of one of the two lists in the book (book: life, "The functions in order").
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kibibytesOf, startsOf } from '../support/deployed.ts';
import {
	arrows,
	arrowsUp,
	cycles,
	files,
	folderOf,
	functionsOf,
	lengthOf,
	needlessSpreads,
	parametersOf,
	SRC,
} from '../support/house.ts';
import { wayOf, wrongHops } from '../support/ways.ts';

interface Figure {
	readonly name: string;
	readonly most: number;
	readonly wanted?: number;
	readonly today: number;
	/** What stands out, for the one who has to mend it. */
	readonly which?: string;
}

const MAX_FUNCTION_LINES = 60;
const MAX_PARAMETERS = 4;
const WAYS = { create: 'From create to its answer', deposit: 'From a deposit to the webhook that says DONE' };

/** Everything of ours that is code or style; what is generated is no work of ours. */
const GENERATED = /\.d\.ts$|^sdk\/operations\.ts$/;
const ownLines = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
	.filter((name) => /\.(?:tsx?|c?js|css)$/.test(name) && !GENERATED.test(name))
	.reduce((sum, name) => sum + readFileSync(join(SRC, name), 'utf8').trimEnd().split('\n').length, 0);

const lengths = files.map((file) => ({ name: file, lines: lengthOf(file) })).toSorted((a, b) => a.lines - b.lines);
const functions = files.flatMap(functionsOf).toSorted((a, b) => a.lines - b.lines);
const [longestFile, longestFunction] = [lengths.at(-1), functions.at(-1)];
const quantile = (share: number): number => lengths[Math.floor((lengths.length - 1) * share)]?.lines ?? Number.NaN;

const ofSource = (): Figure[] => [
	{ name: 'files', most: 1218, today: files.length },
	{ name: 'lines of src, without what is generated and the book', most: 102_940, wanted: 60_000, today: ownLines },
	// A small file that joins its only reader raises the median, so it has no limit.
	{ name: 'lines of a file: median', most: Number.POSITIVE_INFINITY, today: quantile(0.5) },
	{ name: 'lines of a file: nine of ten', most: 165, today: quantile(0.9) },
	{ name: 'lines of a file: longest', most: 250, today: longestFile?.lines ?? 0, which: longestFile?.name ?? '' },
	{ name: 'functions', most: Number.POSITIVE_INFINITY, today: functions.length },
	{
		name: 'lines of a function, closures counted: longest',
		most: MAX_FUNCTION_LINES,
		today: longestFunction?.lines ?? 0,
		which: longestFunction?.name ?? '',
	},
	{
		name: `functions longer than ${MAX_FUNCTION_LINES} lines, closures counted`,
		most: 0,
		today: functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES).length,
	},
	{ name: 'import cycles, types counted', most: 0, today: cycles().length, which: cycles().join(' ') },
	{ name: 'rooms', most: 30, today: new Set(files.map(folderOf)).size },
	{ name: 'arrows between rooms', most: 199, today: arrows().length },
	{ name: 'arrows back up', most: 12, today: arrowsUp().length, which: arrowsUp().join(', ') },
	{ name: 'hops of create', most: 24, today: wayOf(WAYS.create).length },
	{ name: 'hops from a deposit to its webhook', most: 85, today: wayOf(WAYS.deposit).length },
];

/**
 * KiB of code, gzipped; `wanted` where the house has said how large one may be. Milliseconds are half as many again as on a
 * quiet machine: a busy one is slower, for the yardstick not always in the same turn.
 */
const WORKERS = [
	{ worker: 'API', entry: 'api/index.ts', kibibytes: 168, wanted: 230, milliseconds: 60, starts: 40 },
	{ worker: 'agents', entry: 'agents/index.ts', kibibytes: 181, milliseconds: 60 },
	{ worker: 'operator', entry: 'operator/index.ts', kibibytes: 202, wanted: 205, milliseconds: 60 },
	{ worker: 'signer', entry: 'signer/index.ts', kibibytes: 224, wanted: 215, milliseconds: 80 },
	{ worker: 'house', entry: 'signer/house/index.ts', kibibytes: 238, milliseconds: 80 },
	{ worker: 'co-signer', entry: 'signer/cosigner/index.ts', kibibytes: 230, milliseconds: 80 },
	{ worker: 'link', entry: 'link/index.ts', kibibytes: 22, milliseconds: 60 },
	{ worker: 'pages', entry: 'pages/index.ts', kibibytes: 192, wanted: 200, milliseconds: 60 },
];

async function ofWorkers(): Promise<Figure[]> {
	const measured = await startsOf(WORKERS.map(({ entry }) => entry));
	const sizes = await Promise.all(WORKERS.map(({ entry }) => kibibytesOf(entry)));
	return [
		...WORKERS.map(({ worker, kibibytes, wanted }, i) => ({
			name: `KiB of the ${worker} Worker, gzipped`,
			most: kibibytes,
			...(wanted && { wanted }),
			today: sizes[i] ?? Number.NaN,
		})),
		...WORKERS.map(({ worker, milliseconds, starts }, i) => ({
			name: `ms of CPU to start the ${worker} Worker`,
			most: milliseconds,
			...(starts && { wanted: starts }),
			today: measured[i] ?? Number.NaN,
		})),
	];
}

const shown = (figure: number | undefined): string => {
	if (figure === undefined || figure === Number.POSITIVE_INFINITY) return '';
	return Number.isInteger(figure) ? String(figure) : figure.toFixed(1);
};

function tableOf(figures: readonly Figure[]): string {
	const rows = [
		['The figures of the house', 'today', 'at most', 'wanted'],
		...figures.map(({ name, today, most, wanted }) => [name, shown(today), shown(most), shown(wanted)]),
	];
	const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = ([name = '', ...numbers]: readonly string[]) =>
		[name.padEnd(widths[0] ?? 0), ...numbers.map((text, i) => text.padStart(widths[i + 1] ?? 0))].join('  ').trimEnd();
	return rows.map(line).join('\n');
}

describe('the figures of the house', () => {
	it('are printed, and none is above its limit', async () => {
		const figures = [...ofSource(), ...(await ofWorkers())];
		console.log(tableOf(figures));
		expect(figures.filter(({ today }) => Number.isNaN(today))).toEqual([]);
		expect(figures.filter(({ today, most }) => today > most)).toEqual([]);
		expect(functions.length).toBeGreaterThan(files.length);
	});

	it.each(Object.entries(WAYS))('%s runs as the book lists its functions', (_, heading) => {
		expect(wrongHops(wayOf(heading))).toEqual([]);
		expect(wayOf(heading).length).toBeGreaterThan(15);
	});

	it('nothing is written out inside a spread, only to please the formatter', () => {
		expect(files.flatMap(needlessSpreads)).toEqual([]);
	});

	it('no function takes more than four parameters: what belongs together is one object', () => {
		const counted = files.flatMap(parametersOf);
		expect(counted.length).toBeGreaterThan(functions.length);
		const tests = readdirSync(join(SRC, '../test'), { recursive: true, encoding: 'utf8' })
			.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name))
			.flatMap((name) => parametersOf(`../test/${name}`));
		const many = [...counted, ...tests].filter(({ parameters, isRow }) => parameters > MAX_PARAMETERS && !isRow);
		// A signed call, and the wait for a status: who, where, what and how, in hundreds of places.
		expect(many.map(({ name }) => name)).toEqual(['../test/support/orders.ts ', '../test/support/partner.ts ']);
	});
});
