/** A chapter as the text of a page. Pure. */
import type { Chapter } from '../book/chapters.ts';
import { escapeHtml, type Fragment, slug } from './html.ts';
import { inline, markdown } from './markdown.ts';

export const chapterPath = ({ name }: Pick<Chapter, 'name'>): string => `/docs/book/${name}`;

/** Its Markdown, as it is read outside the repository. */
export const chapterText = ({ text }: Pick<Chapter, 'text'>): string => text.replaceAll(LINK_TO_CODE, '$1');

export function chapterHtml({ title, text }: Omit<Chapter, 'name'>): Fragment {
	const body = chapterText({ text: text.slice(text.indexOf('\n')) }).replaceAll(LINK_TO_CHAPTER, ']($1$2)');
	const links = headingsOf(text).map((heading) => `<li><a href="#${slug(heading)}">${inline(heading)}</a></li>`);
	return {
		html: `<h1>${escapeHtml(title)}</h1>\n${markdown(body)}`,
		contents: links.length === 0 ? '' : `<ul>${links.join('')}</ul>`,
	};
}

/** `[…](NAME.md#fees)`: on GitHub a file beside this one, here a page beside this one. */
const LINK_TO_CHAPTER = /\]\(([\w-]+)\.md(#[^)\s]*)?\)/g;

/** `[…](../../api/app.ts)`: on GitHub a file of the repository, here its name alone. */
const LINK_TO_CODE = /\[([^\]]+)\]\((?:\.\.\/)+[^)\s]+\)/g;

/** Those of the chapter's sections. A line of code that begins like one is none. */
const headingsOf = (text: string): string[] =>
	[...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
