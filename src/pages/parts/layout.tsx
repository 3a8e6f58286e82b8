/** The frame of every page: head, navigation, one column, foot. */
import type { Child } from 'hono/jsx';
import type { Language } from '../../partners/languages.ts';
import { assetPath, type FontName, type ScriptName, type StyleName } from '../assets.ts';
import { AccentStyle, type Brand, BrandHead, isBranded, siteName } from './brand.tsx';
import { Mark } from './mark.tsx';
import { useSay } from './speech.tsx';

export interface PageLink {
	readonly path: string;
	readonly text: string;
}

/** The page in another form, for programs. */
export interface Alternate {
	readonly type: string;
	readonly path: string;
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
	/** A style beside that of all pages. */
	readonly style?: StyleName;
	/** The page in a sentence, for search engines and previews of links. */
	readonly about?: string;
	readonly alternates?: readonly Alternate[];
	/** A framed page has no head and no foot. */
	readonly bare?: boolean;
	/** The partner whose payers read the page. */
	readonly brand?: Brand | null;
	/** The choice of a language, where the page speaks several. */
	readonly languages?: Child;
	readonly children: Child;
}

const LATIN: FontName = 'manrope-latin-wght-normal.woff2';
/** The letters that a language needs beside those. */
const LETTERS: Readonly<Partial<Record<Language, FontName>>> = {
	tr: 'manrope-latin-ext-wght-normal.woff2',
	ru: 'manrope-cyrillic-wght-normal.woff2',
	uk: 'manrope-cyrillic-wght-normal.woff2',
};

const Head = ({
	title,
	about = useSay()('layout.about'),
	scripts = [],
	style,
	alternates = [],
	brand = null,
}: Pick<Frame, 'title' | 'about' | 'scripts' | 'style' | 'alternates' | 'brand'>) => (
	<head>
		<meta charset="utf-8" />
		<meta name="viewport" content="width=device-width, initial-scale=1" />
		<meta name="color-scheme" content="light dark" />
		<title>{`${title} · ${siteName(brand)}`}</title>
		<meta name="description" content={about} />
		<meta property="og:type" content="website" />
		<meta property="og:site_name" content="Partner Exchange" />
		<meta property="og:title" content={title} />
		<meta property="og:description" content={about} />
		<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)" />
		<meta name="theme-color" content="#131924" media="(prefers-color-scheme: dark)" />
		<link rel="stylesheet" href={assetPath('style.css')} />
		{style && <link rel="stylesheet" href={assetPath(style)} />}
		<Fonts />
		{brand && <AccentStyle accent={brand.accent} />}
		<link rel="icon" href="/favicon.ico" type="image/svg+xml" />
		<link rel="apple-touch-icon" href="/apple-touch-icon.png" />
		{alternates.map(({ type, path }) => (
			<link rel="alternate" type={type} href={path} />
		))}
		{[...new Set<ScriptName>(['copy.js', 'time.js', ...scripts])].map((name) => (
			<script type="module" src={assetPath(name)} />
		))}
	</head>
);

/** A font is asked for with the style, and not after it. */
function Fonts() {
	const more = LETTERS[useSay().language];
	return (
		<>
			{[LATIN, more].map(
				(name) => name && <link rel="preload" href={assetPath(name)} as="font" type="font/woff2" crossorigin="" />,
			)}
		</>
	);
}

export function Layout({
	path,
	links,
	aside,
	width = 'wide',
	bare,
	brand = null,
	languages,
	children,
	...head
}: Frame) {
	const say = useSay();
	return (
		<html lang={say.language} dir={say.direction}>
			<Head {...head} brand={brand} />
			<body class={brand?.accent ? 'accented' : undefined}>
				<a class="skip" href="#content">
					{say('layout.skip')}
				</a>
				{!bare && <Top path={path} links={links} aside={aside} brand={brand} />}
				{/* The API Worker shows it where that is so. */}
				<aside class="banner" aria-label={say('layout.testLabel')} hidden>
					{say('layout.test')}
				</aside>
				<main id="content" class={width} tabindex={-1}>
					{children}
				</main>
				{bare ? (
					<div class="foot">{languages}</div>
				) : (
					<footer class="foot">
						<p>
							{'Partner Exchange · '}
							{/* The docs are for partners, and not for the payers of one. */}
							{!isBranded(brand) && (
								<>
									<a href="/docs">{say('layout.docs')}</a>
									{' · '}
								</>
							)}
							<a href="/status">{say('layout.status')}</a>
							{/* The API Worker shows it where proofs are published. */}
							<span class="solvency" hidden>
								{' · '}
								<a href="/solvency">{say('solvency.title')}</a>
							</span>
						</p>
						{languages}
					</footer>
				)}
				<p
					id="said"
					class="hidden"
					role="status"
					aria-live="polite"
					data-copied={say('copy.copied')}
					data-selected={say('copy.selected')}
				/>
			</body>
		</html>
	);
}

function Top({
	path,
	links,
	aside,
	brand,
}: Pick<Frame, 'aside'> & { readonly [Name in 'path' | 'links' | 'brand']: Frame[Name] | undefined }) {
	const say = useSay();
	const shown = links ?? [
		{ path: '/docs', text: say('layout.docs') },
		{ path: '/status', text: say('layout.status') },
	];
	return (
		<header class="top">
			{brand && isBranded(brand) ? (
				<BrandHead {...brand} />
			) : (
				<a class="brand" href="/">
					<Mark />
					Partner Exchange
				</a>
			)}
			<nav aria-label={say('layout.pages')}>
				<ul>
					{shown.map((link) => (
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
	);
}
