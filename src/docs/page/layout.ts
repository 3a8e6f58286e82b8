/** What the pages under `/docs` share: head, style, and the list of contents beside the text. Pure. */
import { CHAPTERS, type Chapter } from '../book/chapters.ts';
import { escapeHtml } from './html.ts';
import { STYLE } from './style.ts';

interface Page {
	readonly path: string;
	readonly title: string;
}

const REFERENCE: Page = { path: '/docs', title: 'API reference' };

export const chapterPath = ({ name }: Pick<Chapter, 'name'>): string => `/docs/book/${name}`;

/** `contents`: the page's own sections, as HTML. */
export function layout({ path, title }: Page, contents: readonly string[], main: string): string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<details><summary>Contents</summary>
<ul>${pageLinks(path)}</ul>
${contents.join('\n')}
</details>
</nav>
<main id="content">
${main}
</main>
</body>
</html>
`;
}

function pageLinks(current: string): string {
	const pages = [REFERENCE, ...CHAPTERS.map((chapter) => ({ path: chapterPath(chapter), title: chapter.title }))];
	const links = pages.map(({ path, title }) => {
		const isCurrent = path === current ? ' aria-current="page"' : '';
		return `<li><a href="${path}"${isCurrent}>${escapeHtml(title)}</a></li>`;
	});
	return links.join('');
}
