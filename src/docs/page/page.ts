/**
 * The reference page: the OpenAPI document as HTML, without script or outside host. It has a renderer of its own: the
 * usual ones are a script of a megabyte from a CDN that draws in the reader's browser. Pure.
 */
import type { OpenApiDocument } from '../document.ts';
import { callsOf, type Operation } from '../operation.ts';
import { escapeHtml, type Fragment, slug } from './html.ts';
import { markdown } from './markdown.ts';
import { endpointHtml, eventHtml } from './operation-html.ts';

/** One operation of the page; HEAD is shown with the GET that it mirrors. */
interface Shown {
	readonly tag: string;
	readonly operation: Operation;
	readonly name: string;
	readonly html: string;
}

export function referenceHtml(document: OpenApiDocument): Fragment {
	const { title, summary, description } = document.info;
	const shown = [...endpointsOf(document), ...eventsOf(document)];
	const chapters = document.tags.map((tag) => ({ ...tag, shown: shown.filter((each) => each.tag === tag.name) }));
	const sections = chapters.map(
		(tag) => `<h2 id="${tagId(tag.name)}"><a href="#${tagId(tag.name)}">${escapeHtml(tag.name)}</a></h2>
<p>${escapeHtml(tag.description)}</p>
${tag.shown.map(({ html }) => html).join('\n')}`,
	);
	return {
		contents: [`<ul>${guideLinks(description)}</ul>`, ...chapters.map(navHtml)].join('\n'),
		html: `<h1>${escapeHtml(title)}</h1>
<p class="soft">${escapeHtml(summary)} Machine-readable: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
${markdown(description)}
${sections.join('\n')}`,
	};
}

const tagId = (name: string): string => `tag-${slug(name)}`;

/** The chapters of the guide. */
const guideLinks = (description: string): string =>
	[...description.matchAll(/^## (.+)$/gm)]
		.map(([, text = '']) => `<li><a href="#${slug(text)}">${escapeHtml(text)}</a></li>`)
		.join('');

function navHtml({ name, shown }: { readonly name: string; readonly shown: readonly Shown[] }): string {
	const links = shown.map(
		({ operation, name }) => `<li><a href="#${operation.operationId}"><code>${escapeHtml(name)}</code></a></li>`,
	);
	return `<p><a href="#${tagId(name)}">${escapeHtml(name)}</a></p><ul>${links.join('')}</ul>`;
}

const endpointsOf = (document: OpenApiDocument): Shown[] =>
	callsOf(document).map(({ path, method, methods, operation }) => {
		const html = endpointHtml(methods, path, operation, document.components.schemas);
		return { tag: operation.tags[0] ?? '', operation, name: `${method} ${path}`, html };
	});

function eventsOf({ webhooks, components }: OpenApiDocument): Shown[] {
	return Object.entries(webhooks).map(([name, { post }]) => {
		const html = eventHtml(name, post, components.schemas);
		return { tag: post.tags[0] ?? '', operation: post, name, html };
	});
}
