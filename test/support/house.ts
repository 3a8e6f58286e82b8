/** The source as test/checks reads it: files, imports, code without comments, and lengths. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const SRC = join(ROOT, 'src');

/** Paths under `src`. */
export const files: readonly string[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
	.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
	.toSorted();

const once = <T>(make: (file: string) => T): ((file: string) => T) => {
	const made = new Map<string, T>();
	return (file) => {
		const known = made.get(file) ?? make(file);
		made.set(file, known);
		return known;
	};
};

export const sourceOf = once((file) => readFileSync(join(SRC, file), 'utf8'));

/** `time.ts` for a file at the top, `orders` for one in that folder. */
export const folderOf = (file: string): string => file.split('/')[0] ?? file;

interface Import {
	readonly to: string;
	readonly typeOnly: boolean;
}

/** Imports and re-exports of our own files. */
export const importsOf = once((file): Import[] => {
	const statements = sourceOf(file).matchAll(/^(import|export)( type)?\s([^;]*?)from '(\.[^']+\.tsx?)';/gms);
	return [...statements].map(([, , typeKeyword, names = '', path = '']) => ({
		to: relative(SRC, join(SRC, dirname(file), path)),
		typeOnly: typeKeyword !== undefined || /^\s*\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(names),
	}));
});

/** Packages and platform modules whose values a file imports. */
export const packagesOf = (file: string): string[] => [
	...[...sourceOf(file).matchAll(/^(?:import|export) (?!type)[^;]*?from '([^'.][^']*)';/gms)].map(
		([, name = '']) => name,
	),
	...latePackagesOf(file),
];

/** What the file imports when it first needs it. */
export const latePackagesOf = (file: string): string[] =>
	[...sourceOf(file).matchAll(/\bimport\('([^']+)'\)/g)].map(([, name = '']) => name);

/** Without comments and quoted strings. Templates stay, because they contain code. */
export const codeOf = once((file) =>
	sourceOf(file).replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "''"),
);

/** The comment that the file begins with. */
export const headerOf = (file: string): string => /^\/\*\*[\s\S]*?\*\//.exec(sourceOf(file))?.[0] ?? '';

/** Groups of files that import one another in a circle, each sorted. Type-only imports count (Tarjan). */
export function cycles(): string[][] {
	const graph = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
	const found: string[][] = [];
	const order = new Map<string, number>();
	const lowest = new Map<string, number>();
	const stack: string[] = [];
	const visit = (file: string): number => {
		const index = order.size;
		order.set(file, index);
		lowest.set(file, index);
		stack.push(file);
		for (const next of graph.get(file) ?? []) {
			const reached = order.has(next) ? (stack.includes(next) ? (order.get(next) ?? 0) : index) : visit(next);
			lowest.set(file, Math.min(lowest.get(file) ?? index, reached));
		}
		const low = lowest.get(file) ?? index;
		if (low === index) {
			const group = stack.splice(stack.indexOf(file));
			if (group.length > 1) found.push(group.toSorted());
		}
		return low;
	};
	for (const file of files) if (!order.has(file)) visit(file);
	return found.toSorted();
}

export interface Measured {
	readonly name: string;
	readonly lines: number;
}

const FUNCTION = /^(\t*)(?:export )?(?:default )?(?:async )?function\*? (\w+)/;
const METHOD =
	/^(\t+)(?!(?:if|for|while|switch|else|try|return|await|case|catch)\b)(?:override |static |async |get |\*)*([#\w]+)(?:<.*?>)?\(.*[{(]$/;
const ARROW = /^(\t*)(?:export )?(?:const |readonly )?([#\w]+)?.*=> \{$/;

/** Functions with a body, from the signature to the closing brace, functions inside counted. The formatter's indentation says where each ends. */
export function functionsOf(file: string): Measured[] {
	const lines = sourceOf(file).split('\n');
	return lines.flatMap((line, start) => {
		const [, indent, name = 'anonymous'] = FUNCTION.exec(line) ?? METHOD.exec(line) ?? ARROW.exec(line) ?? [];
		const end = indent === undefined ? null : endOf(lines, start, indent);
		return end === null ? [] : [{ name: `${file} ${name}`, lines: end - start + 1 }];
	});
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The line of the closing brace. Null: what begins at `start` is a call of several lines, and no function. */
function endOf(lines: readonly string[], start: number, indent: string): number | null {
	const closing = range(start + 1, lines.length - 1).filter((i) =>
		[')', '}', ']'].some((bracket) => lines[i]?.startsWith(indent + bracket)),
	);
	const [first = start, second = start] = closing;
	const isSignature = /^\t*\).*\{$/.test(lines[first] ?? '');
	const end = isSignature ? second : first;
	return lines[end]?.startsWith(`${indent}}`) ? end : null;
}

interface Taking {
	readonly name: string;
	readonly parameters: number;
	/** It is called for each row of a table of tests: its parameters are the columns. */
	readonly isRow: boolean;
}

const ROW = /\)\(\s*(?:'[^']*'|"[^"]*"|`[^`]*`),\s*(?:async )?$/;

/** Parameters of each function that takes any, wherever it stands: declared, a method, an arrow or a type. */
export function parametersOf(file: string): Taking[] {
	const code = codeOf(file);
	return [...code.matchAll(/([#\w]*)(?:<[^()<>]*>)?\(/g)].flatMap(({ index, 0: opening, 1: name }) => {
		const inside = bracketed(code, index + opening.length);
		const after = code.slice(index + opening.length + inside.length + 1);
		const isFunction = /^(?::[^;={}]*)?\s*(?:=>|\{)/.test(after) || /^: [\w<]/.test(after);
		const parameters = atTop(inside)
			.split(',')
			.filter((each) => each.trim() !== '').length;
		const isRow = ROW.test(code.slice(0, index));
		return isFunction ? [{ name: `${file} ${name}`, parameters, isRow }] : [];
	});
}

/** Spreads of a list or an object that is written out: it could stand there without the spread. */
export function needlessSpreads(file: string): string[] {
	const code = codeOf(file);
	return [...code.matchAll(/[{[,]\s*\.\.\.[{[]/g)].flatMap(({ index, 0: opening }) => {
		const inside = bracketed(code, index + opening.length);
		const after = code.slice(index + opening.length + inside.length + 1).trimStart();
		return /^[,}\]]/.test(after) ? [`${file}: ${opening}${inside.slice(0, 60)}`.replaceAll(/\s+/g, ' ')] : [];
	});
}

/** The text from `start` up to the bracket that closes what was opened before it. */
export function bracketed(code: string, start: number): string {
	let depth = 1;
	let at = start;
	for (; at < code.length && depth > 0; at += 1) {
		if ('([{'.includes(code[at] ?? '')) depth += 1;
		if (')]}'.includes(code[at] ?? '')) depth -= 1;
	}
	return code.slice(start, at - 1);
}

/** Without what stands in brackets. */
function atTop(code: string): string {
	const flat = code
		.replaceAll('=>', '')
		.replaceAll(/\([^()[\]{}<>]*\)|\[[^()[\]{}<>]*\]|\{[^()[\]{}<>]*\}|<[^()[\]{}<>]*>/g, '_');
	return flat === code ? code : atTop(flat);
}

/** Lines of a file, its last newline not counted as one. */
export const lengthOf = (file: string): number => sourceOf(file).trimEnd().split('\n').length;

/** The rooms of the house: the folders and files at the top of `src`. From each, those of which it imports something; types count. */
export function arrows(): { readonly from: string; readonly to: string; readonly typeOnly: boolean }[] {
	const found = new Map<string, { from: string; to: string; typeOnly: boolean }>();
	for (const file of files)
		for (const { to: path, typeOnly } of importsOf(file)) {
			const [from, to] = [folderOf(file), folderOf(path)];
			const known = found.get(`${from} ${to}`);
			if (from !== to) found.set(`${from} ${to}`, { from, to, typeOnly: typeOnly && (known?.typeOnly ?? true) });
		}
	return [...found.values()];
}

/** Arrows that run back up. A room stands above all whose values it imports; a type may come from as high, or higher. */
export function arrowsUp(): string[] {
	const all = arrows();
	const floors = new Map<string, number>();
	const floorOf = (room: string): number => {
		const below = all.filter(({ from, typeOnly }) => from === room && !typeOnly);
		const floor = floors.get(room) ?? 1 + Math.max(0, ...below.map(({ to }) => floorOf(to)));
		floors.set(room, floor);
		return floor;
	};
	return all.filter(({ from, to }) => floorOf(to) >= floorOf(from)).map(({ from, to }) => `${from} → ${to}`);
}

/** The text of what the file defines as `name`, from its first line to its last; where there are several, of all. */
export function definitionOf(file: string, name: string): string {
	const lines = codeOf(file).split('\n');
	const begins = new RegExp(`^(\\t*)(?:(?:export|async|override|readonly|const|function\\*?) )*${name}(?: =|[<(:]|,$)`);
	return lines
		.flatMap((line, start) => {
			const indent = line.endsWith(');') ? undefined : begins.exec(line)?.[1];
			if (indent === undefined) return [];
			const isInside = (each: string): boolean => {
				const depth = each.search(/\S/);
				return depth < 0 || depth > indent.length || (depth === indent.length && /[)}\]]/.test(each[depth] ?? ''));
			};
			const length = lines.slice(start + 1).findIndex((each) => !isInside(each));
			return lines.slice(start, length < 0 ? undefined : start + 1 + length);
		})
		.join('\n');
}
