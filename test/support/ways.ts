/** The two main ways through the code, as the book's page "The life of a call and of a deposit" lists their functions in order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, definitionOf, files, importsOf, SRC } from './house.ts';

interface Hop {
	readonly depth: number;
	readonly name: string;
	/** What its caller calls it, where that differs: a member or a variable that holds it. */
	readonly calledAs: string;
	readonly file: string;
}

/** The functions that the block under this heading lists: `name  file`, with `name = calledAs` where they differ. What a function calls is indented below it. */
export function wayOf(heading: string): readonly Hop[] {
	const text = readFileSync(join(SRC, 'docs/book/life.md'), 'utf8');
	const [, block = ''] = text.split(`### ${heading}\n`)[1]?.split('```') ?? [];
	return [...block.matchAll(/^( *)(#?\w+)(?: = (#?\w+))? +(\S+\.tsx?)$/gm)].map(
		([, indent = '', name = '', calledAs = name, file = '']) => ({ depth: indent.length / 2, name, calledAs, file }),
	);
}

/** Where the way and the code differ. */
export function wrongHops(way: readonly Hop[]): string[] {
	const callers: Hop[] = [];
	return way.flatMap((hop) => {
		const caller = callers[hop.depth - 1];
		callers.splice(hop.depth, callers.length, hop);
		const { name, calledAs, file } = hop;
		if (!files.includes(file)) return [`${file} is not there`];
		if (definitionOf(file, name) === '') return [`${file} defines no ${name}`];
		if (!caller) return hop.depth === 0 ? [] : [`${name} has no caller`];
		const calls = new RegExp(`(?<![\\w#])${calledAs}\\b`).test(definitionOf(caller.file, caller.name));
		if (!calls) return [`${caller.name} in ${caller.file} does not call ${calledAs}`];
		const namedIn = (each: string): number => codeOf(each).match(new RegExp(`(?<![\\w#])${name}\\b`, 'g'))?.length ?? 0;
		// A list of a port may name it for its caller.
		const ports = importsOf(caller.file).flatMap(({ to }) => (to.startsWith('ports/') ? to : []));
		if (name !== calledAs && [caller.file, ...ports].every((each) => namedIn(each) === 0) && namedIn(file) === 1)
			return [`neither ${caller.file} nor ${file} says that ${calledAs} is ${name}`];
		return [];
	});
}
