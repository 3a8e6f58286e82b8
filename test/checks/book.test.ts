/** The links of the book lead somewhere, and its pages show all of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../src/docs/guide/chapters.ts';
import { chapterHtml, chapterPath } from '../../src/docs/page/book-page.ts';
import { slug } from '../../src/docs/page/html.ts';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { GROUPS, START } from '../../src/pages/static/docs-site.ts';
import { ROOT } from '../support/house.ts';
import { headingsOf, withoutCode } from '../support/markdown.ts';
import { attackers, waysIn } from '../support/threats.ts';

const BOOK = 'src/docs/book';

const headings = new Map(CHAPTERS.map(({ name, text }) => [name, headingsOf(text)]));

describe('links of the texts at the top and of the book', () => {
	const texts = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map((name) => ({ folder: '.', name }));
	const reports = ['bench', 'chaos', 'fuzz', 'hostile', 'mutation', 'simulate', 'spec'].map((name) => ({
		folder: `test/${name}`,
		name: 'README.md',
	}));
	const chapters = CHAPTERS.map(({ name }) => ({ folder: BOOK, name: `${name}.md` }));

	it.each([...texts, ...reports, ...chapters])(
		'$folder/$name: each leads to a file, and to a heading of it',
		({ folder, name }) => {
			const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
			const own = join(folder, name);
			const targets = [...withoutCode(read(own)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
			const wrong = targets.filter((target) => {
				if (/^https:\/\//.test(target)) return false;
				const [file = '', anchor] = target.split('#');
				const path = file === '' ? own : join(folder, file);
				if (!existsSync(join(ROOT, path))) return true;
				return anchor !== undefined && !headingsOf(read(path)).map(slug).includes(anchor);
			});
			expect(wrong).toEqual([]);
		},
	);

	it.each(chapters)('$name: each that leads into the code names what the file has', ({ folder, name }) => {
		const text = withoutCode(readFileSync(join(ROOT, folder, name), 'utf8'));
		const wrong = [...text.matchAll(/\[`([\w.]+)`\]\((\.\.\/[^)\s]+\.tsx?)\)/g)].filter(([, named = '', path = '']) => {
			const member = named.split('.').at(-1) ?? '';
			return !path.endsWith(`/${named}`) && !readFileSync(join(ROOT, folder, path), 'utf8').includes(member);
		});
		expect(wrong.map(([link]) => link)).toEqual([]);
	});
});

const TEXTS = [
	...CHAPTERS.map((chapter) => ({ path: chapterPath(chapter), ...chapter })),
	...GUIDE_CHAPTERS.map((chapter) => ({ path: guidePath(chapter), ...chapter })),
];
/** The anchors of each page that is made of a text. */
const anchorsOf = new Map(TEXTS.map(({ path, text }) => [path, headingsOf(text).map(slug)]));

describe.each(TEXTS.map(({ path, ...chapter }) => ({ path, ...chapter, ...chapterHtml(chapter) })))(
	'the page $path',
	({ title, text, html: main, contents }) => {
		const html = `${contents}${main}`;

		it('has the chapter’s title', () => {
			expect(text.split('\n')[0]).toBe(`# ${title}`);
			expect(html).toContain(`<h1>${title}</h1>`);
		});

		it('shows every heading, under the anchor that GitHub gives it, once', () => {
			const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
			expect(new Set(ids).size).toBe(ids.length);
			expect(ids).toEqual(expect.arrayContaining(headingsOf(text).slice(1).map(slug)));
		});

		it('leads to pages and anchors that are there', () => {
			const known = new Set([START, ...GROUPS.flatMap(({ pages }) => pages)].map((page) => page.path));
			const anchors = (name: string) => (headings.get(name) ?? []).map(slug);
			const wrong = [...html.matchAll(/href="([^"]+)"/g)].filter(([, target = '']) => {
				const [page = '', anchor] = target.split('#');
				if (page.startsWith('/')) return !known.has(page) || (anchor && !anchorsOf.get(page)?.includes(anchor));
				if (page !== '') return !headings.has(page) || (anchor !== undefined && !anchors(page).includes(anchor));
				return !html.includes(` id="${anchor}"`);
			});
			expect(wrong).toEqual([]);
		});

		it('leaves no Markdown unread', () => {
			const prose = html.replaceAll(/<style>[\s\S]*?<\/style>|<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
			expect(prose.match(/\*\*|`|\]\(|^\s*(?:#{1,6}|\||-|\d+\.) .*$|(?<=[\s>(])\*\S|\S\*(?=[\s<.,)])/m)).toBeNull();
		});

		it('loads nothing from anywhere: no script, image, frame or outside host', () => {
			expect(html).not.toMatch(/<(script|link|img|iframe|object|embed|form)\b|<[^>]*\s(?:src|style)=|@import|url\(/i);
			expect([...html.matchAll(/href="https?:/g)]).toEqual([]);
		});
	},
);

describe('the guide', () => {
	it('names only commands that there are, with options that they take', () => {
		const commands = GUIDE_CHAPTERS.flatMap(({ text }) => [...text.matchAll(/npx exchange ([^`\n]+)/g)]);
		const wrong = commands.filter(([, words = '']) => {
			const { kind } = parseCommandLine(words.trim().split(' '));
			return kind !== (words.includes('--help') ? 'text' : 'request');
		});
		expect(commands.length).toBeGreaterThan(20);
		expect(wrong.map(([command]) => command)).toEqual([]);
	});
});

describe('what the book lists', () => {
	const textOf = (chapter: string, heading: string): string => {
		const text = CHAPTERS.find(({ name }) => name === chapter)?.text ?? '';
		return text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';
	};
	const src = join(ROOT, 'src');

	it('has every event of the log', () => {
		const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => readFileSync(join(src, name), 'utf8'));
		const logged = code.flatMap((text) =>
			[...text.matchAll(/\blog(?:Error)?\(\s*'(\w+)'/g)].map(([, event = '']) => event),
		);
		const listed = textOf('bad-hour', 'Log events');
		expect(logged.length).toBeGreaterThan(50);
		expect(logged.filter((event) => !listed.includes(`\`${event}\``))).toEqual([]);
	});

	it('has every folder and file at the top of src', () => {
		const listed = textOf('architecture', 'The layout of src').split('\n');
		const names = readdirSync(src, { withFileTypes: true }).map(
			(each) => `${each.name}${each.isDirectory() ? '/' : ''}`,
		);
		expect(names.filter((name) => !listed.some((line) => line.trim().startsWith(`${name} `)))).toEqual([]);
	});

	it('has every room of the treasury', () => {
		const [, listed = ''] = /^ {2}treasury\/([\s\S]*?)^ {2}\w/m.exec(textOf('architecture', 'The layout of src')) ?? [];
		const rooms = readdirSync(join(src, 'treasury'), { withFileTypes: true }).filter((each) => each.isDirectory());
		expect(rooms.map(({ name }) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(listed))).toEqual([]);
	});

	it('names a test that is there, for each way in', () => {
		const ways = waysIn();
		expect(ways.length).toBeGreaterThan(20);
		expect(ways.filter(({ tests }) => tests.length === 0)).toEqual([]);
		const named = ways.flatMap(({ tests }) => tests);
		expect(named.filter(({ file, title }) => !hasTest(file, title))).toEqual([]);
	});

	it('names tests that are there, for each attacker', () => {
		const named = attackers().flatMap(({ files }) => files);
		expect(named.length).toBeGreaterThan(20);
		expect(named.filter((file) => !existsSync(join(ROOT, `test/${file}.test.ts`)))).toEqual([]);
	});
});

/** A file of tests, or of tests that others run. */
function hasTest(file: string, title: string): boolean {
	const path = [`${file}.test.ts`, `${file}.ts`].map((name) => join(ROOT, 'test', name)).find(existsSync);
	return path !== undefined && readFileSync(path, 'utf8').includes(`'${title}'`);
}
