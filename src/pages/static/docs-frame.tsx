/**
 * Shared by the pages under `/docs`: the list of pages, the sections of this one, the search, and what is before and
 * after.
 */
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ScriptName } from '../assets.ts';
import { SEARCH_PATH } from '../docs/search.ts';
import { type Alternate, Layout } from '../parts/layout.tsx';
import { Send } from '../parts/parts.tsx';
import { type DocsLink, GROUPS, neighboursOf, START } from './docs-site.ts';

interface Props {
	readonly path: string;
	readonly title: string;
	/** Lists of links to the sections of the page: HTML of this repository's own text. */
	readonly contents?: string;
	readonly scripts?: readonly ScriptName[];
	/** The same text in other forms. */
	readonly alternates?: readonly Alternate[];
	readonly children: Child;
}

export const DocsPage = ({ path, title, contents = '', scripts = [], alternates = [], children }: Props) => (
	<Layout title={title} path="/docs" style="docs.css" scripts={['search.js', ...scripts]} alternates={alternates}>
		<div class="docs">
			<div class="side">
				<Search />
				<details>
					<summary>Contents</summary>
					<Pages path={path} contents={contents} />
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
const Search = () => (
	<search>
		<form class="row" action={SEARCH_PATH} method="get">
			<input type="search" name="q" aria-label="Search the docs" placeholder="Search" />
			<Send class="plain" text="Search" />
		</form>
		<div id="found" aria-live="polite" />
	</search>
);

type Current = Pick<Props, 'path'> & { readonly contents: string };

const Pages = (current: Current) => (
	<nav aria-label="Docs">
		<Links pages={[START]} {...current} />
		{GROUPS.map(({ title, pages }) => (
			<>
				<p>{title}</p>
				<Links pages={pages} {...current} />
			</>
		))}
	</nav>
);

/** The page that is shown has its sections below it. */
const Links = ({ pages, path, contents }: Current & { readonly pages: readonly DocsLink[] }) => (
	<ul>
		{pages.map((page) => (
			<li>
				<a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
					{page.title}
				</a>
				{page.path === path && raw(contents)}
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
