/** The changelog as a page and as a feed. Pure. */
import { escapeHtml, slug } from './html.ts';
import { markdown } from './markdown.ts';

export const CHANGELOG_PATH = '/docs/changelog';
export const FEED_PATH = '/docs/changelog.atom';

/** `[…](src/docs/book/NAME.md#fees)`: in the repository a file, here a page. */
const LINK_TO_CHAPTER = /\]\(src\/docs\/book\/([\w-]+)\.md(#[^)\s]*)?\)/g;

/** As a page of the docs. `written`: `CHANGELOG.md`. */
export const changelogText = (written: string): string => written.replaceAll(LINK_TO_CHAPTER, '](/docs/book/$1$2)');

/** A name that is nobody's address (RFC 2606), so that the feed is the same wherever it is served. */
const NAMESPACE = 'tag:partner-exchange.invalid,2026:changelog';

/** An entry for each version that has a date: `## 1.0.0 - 2026-11-26`. The newest is the first. */
export function changelogFeed(written: string): string {
	const releases = changelogText(written)
		.split(/^(?=## )/m)
		.flatMap((part) => {
			const [, heading = '', version = '', date = ''] = /^## (([\d.]+) - (\d{4}-\d\d-\d\d))$/m.exec(part) ?? [];
			return version === '' ? [] : [{ heading, version, date, text: part.slice(part.indexOf('\n')) }];
		});
	const entries = releases.map(
		({ heading, version, date, text }) => `	<entry>
		<id>${NAMESPACE}/${version}</id>
		<title>${version}</title>
		<updated>${date}T00:00:00Z</updated>
		<link rel="alternate" type="text/html" href="${CHANGELOG_PATH}#${slug(heading)}"/>
		<content type="html">${escapeHtml(markdown(text))}</content>
	</entry>`,
	);
	return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
	<id>${NAMESPACE}</id>
	<title>Partner Exchange: changes</title>
	<updated>${releases[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
	<author><name>Partner Exchange</name></author>
	<link rel="self" type="application/atom+xml" href="${FEED_PATH}"/>
	<link rel="alternate" type="text/html" href="${CHANGELOG_PATH}"/>
${entries.join('\n')}
</feed>
`;
}
