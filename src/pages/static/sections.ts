/** The sections of the guide, the reference and the book, as the search finds them. Pure. */
import { CHAPTERS } from '../../docs/book/chapters.ts';
import type { OpenApiDocument } from '../../docs/document.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import { callsOf } from '../../docs/operation.ts';
import { chapterPath } from '../../docs/page/book-page.ts';
import { slug } from '../../docs/page/html.ts';
import type { Section } from '../docs/search.ts';
import { CHECKER, PROMISES, REFERENCE } from './docs-site.ts';

const EXCERPT_LETTERS = 180;
const CHECKER_WORDS = 'Compare your signature with ours: bytes, HMAC, newline, timestamp, nonce, code 3 AUTH_INVALID.';

const PROMISE_WORDS = 'Verify a signed promise: pay-in address, order, Ed25519 key, file of the order’s page.';

/** `others`: texts that are made when the pages are. */
export function searchSections(document: OpenApiDocument, others: readonly Text[]): Section[] {
	return [
		...GUIDE_CHAPTERS.flatMap((chapter) => sectionsOf(guidePath(chapter), chapter)),
		{ ...CHECKER, page: CHECKER.title, heading: CHECKER.title, text: CHECKER_WORDS },
		{ ...PROMISES, page: PROMISES.title, heading: PROMISES.title, text: PROMISE_WORDS },
		...operationsOf(document),
		...others.flatMap((each) => sectionsOf(each.path, each)),
		...CHAPTERS.flatMap((chapter) => sectionsOf(chapterPath(chapter), chapter)),
	].map(({ path, page, heading, text }) => ({ path, page, heading, text, excerpt: excerptOf(text) }));
}

interface Text {
	readonly path: string;
	readonly title: string;
	readonly text: string;
}

type Unshown = Omit<Section, 'excerpt'>;

const operationsOf = (document: OpenApiDocument): Unshown[] =>
	callsOf(document).map(({ path, method, operation: { operationId, summary, description } }) => ({
		path: `${REFERENCE.path}#${operationId}`,
		page: REFERENCE.title,
		heading: `${method} ${path}`,
		text: plainText(`${summary}. ${description}`),
	}));

function sectionsOf(path: string, { title, text }: Omit<Text, 'path'>): Unshown[] {
	const parts = text.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,3} )/m);
	return parts.map((part) => {
		const [first = '', ...lines] = part.split('\n');
		const heading = first.replace(/^#+ /, '').replaceAll('`', '');
		const isTitle = first.startsWith('# ');
		const own = isTitle ? path : `${path}#${slug(heading)}`;
		return { path: own, page: title, heading, text: plainText(lines.join('\n')) };
	});
}

const plainText = (markdown: string): string =>
	markdown
		.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
		.replaceAll(/^\|[-|]+\|$/gm, '')
		.replaceAll(/[`*|]/g, ' ')
		.replaceAll(/\s+/g, ' ')
		.trim();

const excerptOf = (text: string): string =>
	text.length > EXCERPT_LETTERS ? `${text.slice(0, EXCERPT_LETTERS)}…` : text;
