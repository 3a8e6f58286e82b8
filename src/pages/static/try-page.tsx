/**
 * `/docs/try`: the reference's examples, run from the reader's browser against a public sandbox, with keys that it makes
 * for itself. On a service that is none it leads to the operator's, where they named one (`SANDBOX_URL`).
 */
import { raw } from 'hono/html';
import type { OpenApiDocument } from '../../docs/document.ts';
import { callsOf, type Operation } from '../../docs/operation.ts';
import { codeBlock } from '../../docs/page/html.ts';
import { Note } from '../parts/parts.tsx';
import { DocsPage } from './docs-frame.tsx';
import { TRY } from './docs-site.ts';
import { Typed } from './typed.tsx';

/** An operation, as far as the script needs it. */
interface Example {
	readonly id: string;
	readonly method: string;
	readonly path: string;
	readonly isSigned: boolean;
	/** The body, or of a GET the query; empty without one. */
	readonly body: string;
}

interface Group {
	readonly tag: string;
	readonly examples: readonly (Example & { readonly summary: string })[];
}

/** A visitor makes keys by the button. */
const BY_BUTTON = 'sandboxKeys';
const CODES = ['5', '10', '11', '99'];

function groupsOf(document: OpenApiDocument): readonly Group[] {
	const shown = callsOf(document).filter(({ operation }) => operation.operationId !== BY_BUTTON);
	return document.tags.map(({ name }) => ({
		tag: name,
		examples: shown
			.filter(({ operation }) => operation.tags.includes(name))
			.map(({ path, method, operation }) => ({
				id: operation.operationId,
				method,
				path,
				isSigned: operation.security.length > 0,
				body: bodyOf(operation),
				summary: operation.summary,
			})),
	}));
}

function bodyOf({ requestBody, parameters = [] }: Operation): string {
	const example = requestBody?.content['application/json']?.example;
	if (example !== undefined) return JSON.stringify(example, null, 2);
	const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
	return query.length > 0
		? JSON.stringify(Object.fromEntries(query.map(({ name, example }) => [name, example])), null, 2)
		: '';
}

/** A tag inside the data would end their element. */
const dataOf = (groups: readonly Group[]): string =>
	JSON.stringify(groups.flatMap(({ examples }) => examples.map(({ summary: _, ...example }) => example))).replaceAll(
		'<',
		'\\u003c',
	);

export function TryPage({ document }: { readonly document: OpenApiDocument }) {
	const groups = groupsOf(document);
	return (
		<DocsPage path={TRY.path} title={TRY.title} scripts={['try.js']}>
			<h1>{TRY.title}</h1>
			<p>
				Make keys of your own, run any call, and see what is sent and what comes back. The coins are not real, and the
				keys end after a day.
			</p>
			<Elsewhere />
			<section id="keys" class="stack" aria-label="Your test keys" hidden>
				<button type="button" id="make">
					Make test keys
				</button>
				<p id="made" class="small soft" role="status" />
				<div id="credentials" hidden>
					{raw(codeBlock(' ', 'Your test keys', true))}
				</div>
			</section>
			<Call groups={groups} />
			<section id="shown" class="stack" aria-live="polite" aria-label="The call and its answer" hidden>
				<h2 id="sent">What was sent</h2>
				<div id="request">{raw(codeBlock(' ', 'The call', true))}</div>
				<h2 id="came">What came back</h2>
				<div id="response">{raw(codeBlock(' ', 'The answer', true))}</div>
			</section>
			{raw(`<script type="application/json" id="operations">${dataOf(groups)}</script>`)}
		</DocsPage>
	);
}

/** Where the page can do nothing. */
const Elsewhere = () => (
	<>
		<noscript>
			<Note>
				<p>
					This page signs calls in your browser, which needs JavaScript. <a href="/docs/sandbox">The sandbox</a> runs on
					your machine without.
				</p>
			</Note>
		</noscript>
		<div id="elsewhere" hidden>
			<Note tone="warn">
				<p>
					This service moves real coins, or takes no visitors.{' '}
					<a href="/docs/sandbox">Run the sandbox on your machine</a>
					<span class="public-sandbox" hidden>
						, or <a href="/docs/try">try it on the public sandbox</a>
					</span>
					.
				</p>
			</Note>
		</div>
	</>
);

const Call = ({ groups }: { readonly groups: readonly Group[] }) => (
	<section id="example" class="stack" aria-label="A call" hidden>
		<div class="field">
			<label for="operation">Call</label>
			<select id="operation">
				{groups.map(({ tag, examples }) => (
					<optgroup label={tag}>
						{examples.map(({ id, summary }) => (
							<option value={id}>{summary}</option>
						))}
					</optgroup>
				))}
			</select>
		</div>
		<Typed id="body" label="Body" hint="The last order that you made stands in place of the reference’s" rows={8} />
		<div class="field">
			<label for="answer">Answer</label>
			<select id="answer" aria-describedby="answer-hint">
				<option value="">As it is</option>
				{CODES.map((code) => (
					<option value={code}>{`Code ${code}`}</option>
				))}
			</select>
			<small id="answer-hint">A refusal that you want to see, by X-Sandbox-Answer</small>
		</div>
		<button type="button" id="run">
			Run
		</button>
	</section>
);
