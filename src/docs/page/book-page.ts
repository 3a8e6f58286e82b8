/** A chapter of the book as a page. Pure. */
import type { Chapter } from '../book/chapters.ts';
import { escapeHtml, slug } from './html.ts';
import { chapterPath, layout } from './layout.ts';
import { inline, markdown } from './markdown.ts';

export function chapterPage(chapter: Chapter): string {
	const { title, text } = chapter;
	const body = text.slice(text.indexOf('\n')).replaceAll(LINK_TO_CHAPTER, ']($1$2)');
	const links = headingsOf(text).map((heading) => `<li><a href="#${slug(heading)}">${inline(heading)}</a></li>`);
	return layout(
		{ path: chapterPath(chapter), title: `${title} · Partner Exchange` },
		[`<p>${escapeHtml(title)}</p><ul>${links.join('')}</ul>`],
		`<h1>${escapeHtml(title)}</h1>\n${markdown(body)}`,
	);
}

/** `[…](NAME.md#fees)`: on GitHub a file beside this one, here a page beside this one. */
const LINK_TO_CHAPTER = /\]\((\w+)\.md(#[^)\s]*)?\)/g;

/** Those of the chapter's sections. A line of code that begins like one is none. */
const headingsOf = (text: string): string[] =>
	[...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
