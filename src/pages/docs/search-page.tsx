/** `/docs/search?q=`: what was found, for readers without JavaScript and for links. */
import { DocsPage } from './frame.tsx';
import type { Entry } from './search.ts';
import { SEARCH_PATH } from './site.ts';

const EXCERPT_LETTERS = 180;

interface Props {
	readonly query: string;
	readonly found: readonly Entry[];
}

export const SearchPage = ({ query, found }: Props) => (
	<DocsPage path={SEARCH_PATH} title="Search" query={query}>
		<h1>Search</h1>
		<p class="soft">{said(query, found.length)}</p>
		<ul class="results">
			{found.map(({ path, page, heading, text }) => (
				<li>
					<a href={path}>{heading}</a>
					{heading !== page && <small class="soft">{` ${page}`}</small>}
					<p class="small soft">{excerpt(text)}</p>
				</li>
			))}
		</ul>
	</DocsPage>
);

function said(query: string, count: number): string {
	if (query.trim() === '') return 'Type a word: a code, a field, a header, an asset.';
	if (count === 0) return `Nothing found for “${query}”. Try fewer or shorter words.`;
	return `${count === 1 ? 'One section' : `${count} sections`} for “${query}”, the best first.`;
}

const excerpt = (text: string): string => (text.length > EXCERPT_LETTERS ? `${text.slice(0, EXCERPT_LETTERS)}…` : text);
