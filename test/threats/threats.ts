/**
 * `npm run threats`: runs every test that the book's page of threats names, and writes a report that an auditor can read, in
 * Markdown: who tries what, what holds, and whether its test passed here. `--report FILE` writes it there. It fails where a
 * test fails or is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/house.ts';
import { attackers, type NamedTest, waysIn } from '../support/threats.ts';

interface Result {
	readonly title: string;
	readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';
}

interface Verdict {
	readonly passed: number;
	readonly failed: number;
}

type Results = ReadonlyMap<string, readonly Result[]>;

const { values } = parseArgs({ options: { report: { type: 'string' } } });
const [ways, places] = [waysIn(), attackers()];
const files = [
	...new Set([...ways.flatMap(({ tests }) => tests.map(({ file }) => file)), ...places.flatMap((each) => each.files)]),
];

/** Where it has no tests of its own, the files that run its tests, also by way of others. */
function runnersOf(file: string): readonly string[] {
	if (existsSync(join(ROOT, `test/${file}.test.ts`))) return [file];
	const folder = dirname(file);
	const imports = `'./${basename(file)}.ts'`;
	return readdirSync(join(ROOT, 'test', folder))
		.filter((name) => name.endsWith('.ts'))
		.filter((name) => readFileSync(join(ROOT, 'test', folder, name), 'utf8').includes(imports))
		.flatMap((name) => runnersOf(join(folder, name.replace(/(\.test)?\.ts$/, ''))));
}

/** By file, as `runnersOf` names it. */
function runAll(): Results {
	const folder = mkdtempSync(join(tmpdir(), 'threats-'));
	const output = join(folder, 'results.json');
	const paths = [...new Set(files.flatMap(runnersOf))].map((file) => `test/${file}.test.ts`);
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
	spawnSync(
		process.execPath,
		['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...reporters, ...paths],
		{ cwd: ROOT, stdio: ['ignore', 2, 2] },
	);
	const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
		readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Result[] }[];
	};
	rmSync(folder, { recursive: true });
	return new Map(
		testResults.map(({ name, assertionResults }) => [
			relative(join(ROOT, 'test'), name).replace(/\.test\.ts$/, ''),
			assertionResults,
		]),
	);
}

/** One that did not run has not passed. */
const verdictOf = (results: readonly Result[]): Verdict => {
	const passed = results.filter(({ status }) => status === 'passed').length;
	return { passed, failed: results.length === 0 ? 1 : results.length - passed };
};

const resultsOf = (results: Results, file: string): readonly Result[] =>
	runnersOf(file).flatMap((runner) => results.get(runner) ?? []);

function verdictOfTest(results: Results, { file, title }: NamedTest): Verdict {
	const pattern = title
		.split(/%[sdijo]|\$\w+/)
		.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('.*');
	const isIt = new RegExp(`^${pattern}$`);
	return verdictOf(resultsOf(results, file).filter(({ title: found }) => isIt.test(found)));
}

const told = ({ passed, failed }: Verdict): string =>
	failed > 0 ? `**${failed} failed**, ${passed} passed` : `${passed} passed`;

function report(results: Results): { readonly text: string; readonly failed: number } {
	const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
	const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
	const [ofWays, ofPlaces] = [
		ways.flatMap(({ somebody, holds, tests }) =>
			tests.map((test) => ({
				cells: [somebody, holds, `\`${test.file}\` “${test.title}”`],
				verdict: verdictOfTest(results, test),
			})),
		),
		places.flatMap(({ who, files: named }) =>
			named.map((file) => ({ cells: [who, `\`${file}\``], verdict: verdictOf(resultsOf(results, file)) })),
		),
	];
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	const table = (head: readonly string[], rows: typeof ofWays) =>
		[
			row([...head, 'Result']),
			row([...head, ''].map(() => '---')),
			...rows.map(({ cells, verdict }) => row([...cells, told(verdict)])),
		].join('\n');
	const failed = [...ofWays, ...ofPlaces].filter(({ verdict }) => verdict.failed > 0).length;
	const text = `# Threats, tested

Version ${version}, commit ${git('rev-parse', 'HEAD')}${git('status', '--porcelain') ? ' with changes that are not committed' : ''}, ${new Date().toISOString()}, Node ${process.version}, ${platform()} ${arch()}.
${ofWays.length + ofPlaces.length} lines, ${failed} of them with a failure.

## Ways in

${table(['Somebody …', 'What holds', 'Test'], ofWays)}

## Attackers with a place of their own

${table(['Who', 'File of tests'], ofPlaces)}
`;
	return { text, failed };
}

const { text, failed } = report(runAll());
if (values.report) writeFileSync(values.report, text);
else process.stdout.write(text);
process.exitCode = failed > 0 ? 1 : 0;
