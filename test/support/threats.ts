/** What the book's page of threats says: who tries what, and which tests play it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SRC } from './house.ts';

export interface NamedTest {
	/** Below `test`, without `.test.ts`. */
	readonly file: string;
	/** As the source has it: `%s` stands for what its cases put there. */
	readonly title: string;
}

export interface WayIn {
	readonly somebody: string;
	readonly holds: string;
	readonly tests: readonly NamedTest[];
}

/** Somebody with a place from which they can try. */
export interface Attacker {
	readonly who: string;
	/** Below `test`, without `.test.ts`. */
	readonly files: readonly string[];
}

const HEADS = ['Ways in', 'Who is protected against whom'];
const NAMED = /`([\w/-]+)` “([^”]+)”/g;
const FILES = /`((?:faults|nodes|objects|operator|pages|sdk|spec|unit)\/[\w-]+)`/g;

const partsOf = (text: string, mark: string): readonly string[] => text.split(new RegExp(`^${mark} `, 'm')).slice(1);

function part(heading: string): string {
	const text = readFileSync(join(SRC, 'docs/book/threats.md'), 'utf8');
	const found = partsOf(text, '##').find((each) => each.startsWith(`${heading}\n`));
	if (found === undefined) throw new Error(`the page of threats has no part “${heading}”`);
	return found;
}

export function waysIn(): WayIn[] {
	const rows = part(HEADS[0] as string)
		.split('\n')
		.filter((line) => line.startsWith('| ') && !line.startsWith('| Somebody'));
	return rows.map((row) => {
		const [somebody = '', holds = '', tests = ''] = row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''));
		return { somebody, holds, tests: [...tests.matchAll(NAMED)].map(([, file = '', title = '']) => ({ file, title })) };
	});
}

export const attackers = (): Attacker[] =>
	partsOf(part(HEADS[1] as string), '###').map((text) => ({
		who: text.slice(0, text.indexOf('\n')),
		files: [...new Set([...text.matchAll(FILES)].map(([, file = '']) => file))],
	}));
