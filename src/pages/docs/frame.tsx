/** What the pages under `/docs` share: the list of pages, the sections of this one, the search, and what is before and after. */

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ScriptName } from '../assets.ts';
import { Layout } from '../parts/layout.tsx';
import { type DocsLink, GROUPS, neighboursOf, SEARCH_PATH, START } from './site.ts';

interface Props {
	readonly path: string;
	readonly title: string;
	/** Links to the sections of the page: HTML of this repository's own text. */
	readonly contents?: string;
	readonly scripts?: readonly ScriptName[];
	/** What was searched for. */
	readonly query?: string;
	readonly children: Child;
}

export const DocsPage = ({ path, title, contents = '', scripts = [], query = '', children }: Props) => (
	<Layout title={title} path="/docs" scripts={['search.js', ...scripts]}>
		<div class="docs">
			<div class="side">
				<Search query={query} />
				<details>
					<summary>Contents</summary>
					<Pages path={path} />
					{contents !== '' && (
						<nav aria-label="On this page">
							<p>On this page</p>
							{raw(contents)}
						</nav>
					)}
				</details>
			</div>
			<article class="prose">
				{children}
				<Neighbours path={path} />
			</article>
		</div>
	</Layout>
);

/** The script shows what it finds below the field; without it the form leads to a page with the same. */
const Search = ({ query }: { readonly query: string }) => (
	<search>
		<form class="row" action={SEARCH_PATH} method="get">
			<input type="search" name="q" value={query} aria-label="Search the docs" placeholder="Search the docs" />
			<button type="submit" class="plain">
				Search
			</button>
		</form>
		<div id="found" aria-live="polite" />
	</search>
);

const Pages = ({ path }: { readonly path: string }) => (
	<nav aria-label="Docs">
		<Links pages={[START]} path={path} />
		{GROUPS.map(({ title, pages }) => (
			<>
				<p>{title}</p>
				<Links pages={pages} path={path} />
			</>
		))}
	</nav>
);

const Links = ({ pages, path }: { readonly pages: readonly DocsLink[]; readonly path: string }) => (
	<ul>
		{pages.map((page) => (
			<li>
				<a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
					{page.title}
				</a>
			</li>
		))}
	</ul>
);

function Neighbours({ path }: { readonly path: string }) {
	const { before, after } = neighboursOf(path);
	if (!before && !after) return null;
	return (
		<nav class="pager" aria-label="Before and after">
			{before ? <a href={before.path}>{`← ${before.title}`}</a> : <span />}
			{after && <a href={after.path}>{`${after.title} →`}</a>}
		</nav>
	);
}
