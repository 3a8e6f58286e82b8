/** The frame of every page: head, navigation, one column, foot. */
import type { Child } from 'hono/jsx';
import { assetPath, type ScriptName } from '../assets.ts';
import { Mark } from './mark.tsx';

export interface PageLink {
	readonly path: string;
	readonly text: string;
}

interface Frame {
	/** The window's title; what the page says first. */
	readonly title: string;
	/** Path of this page, to mark its link. */
	readonly path?: string;
	readonly links?: readonly PageLink[];
	/** At the end of the head: a form that ends the session, say. */
	readonly aside?: Child;
	/** How wide the column is: `narrow` on pages of one thing, `text` for reading. */
	readonly width?: 'narrow' | 'text' | 'wide';
	readonly scripts?: readonly ScriptName[];
	/** The page in a sentence, for search engines and previews of links. */
	readonly about?: string;
	/** A framed page has no head and no foot. */
	readonly bare?: boolean;
	readonly children: Child;
}

/** The links of every page. */
const PUBLIC_LINKS: readonly PageLink[] = [
	{ path: '/docs', text: 'Docs' },
	{ path: '/status', text: 'Status' },
];

const ABOUT = 'Swap one crypto asset for another, without an account.';

const Head = ({ title, about = ABOUT, scripts = [] }: Pick<Frame, 'title' | 'about' | 'scripts'>) => (
	<head>
		<meta charset="utf-8" />
		<meta name="viewport" content="width=device-width, initial-scale=1" />
		<meta name="color-scheme" content="light dark" />
		<title>{`${title} · Partner Exchange`}</title>
		<meta name="description" content={about} />
		<meta property="og:type" content="website" />
		<meta property="og:site_name" content="Partner Exchange" />
		<meta property="og:title" content={title} />
		<meta property="og:description" content={about} />
		<link rel="stylesheet" href={assetPath('style.css')} />
		<link rel="icon" href="/favicon.ico" type="image/svg+xml" />
		<link rel="apple-touch-icon" href="/apple-touch-icon.png" />
		{[...new Set<ScriptName>(['copy.js', 'time.js', ...scripts])].map((name) => (
			<script type="module" src={assetPath(name)} />
		))}
	</head>
);

export const Layout = ({ path, links, aside, width = 'wide', bare, children, ...head }: Frame) => (
	<html lang="en">
		<Head {...head} />
		<body>
			<a class="skip" href="#content">
				Skip to the content
			</a>
			{!bare && (
				<header class="top">
					<a class="brand" href="/">
						<Mark />
						Partner Exchange
					</a>
					<nav aria-label="Pages">
						<ul>
							{(links ?? PUBLIC_LINKS).map((link) => (
								<li>
									<a href={link.path} aria-current={link.path === path ? 'page' : undefined}>
										{link.text}
									</a>
								</li>
							))}
						</ul>
					</nav>
					{aside}
				</header>
			)}
			<main id="content" class={width} tabindex={-1}>
				{children}
			</main>
			{!bare && (
				<footer class="foot">
					Partner Exchange · <a href="/docs">Docs</a> · <a href="/status">Status</a>
				</footer>
			)}
			<p id="said" class="hidden" role="status" aria-live="polite" />
		</body>
	</html>
);
