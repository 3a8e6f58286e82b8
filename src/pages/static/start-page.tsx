/** `/docs`: where to begin. */
import { CHAPTERS } from '../../docs/book/chapters.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import { chapterPath } from '../../docs/page/book-page.ts';
import { Card, Go } from '../parts/parts.tsx';
import { DocsPage } from './docs-frame.tsx';
import { CHECKER, REFERENCE, START } from './docs-site.ts';

export const StartPage = () => (
	<DocsPage path={START.path} title="Docs">
		<h1>Docs</h1>
		<p>
			Partner Exchange swaps one crypto asset for another. You create an order through the API, your user pays its
			address, and the service pays the recipient.
		</p>
		<div class="grid">
			<Card title="Begin">
				<p>A first swap, from a price to the payout, in ten minutes and without real coins.</p>
				<Go main to="/docs/quickstart" text="Quickstart" />
			</Card>
			<Card title="Look it up">
				<p>Every endpoint with its fields, examples and errors.</p>
				<Go to={REFERENCE.path} text="API reference" />
			</Card>
			<Card title="Code 3?">
				<p>See the bytes under your signature and what is different.</p>
				<Go to={CHECKER.path} text="Signature checker" />
			</Card>
		</div>
		<h2 id="guide">The guide</h2>
		<ol>
			{GUIDE_CHAPTERS.map((chapter) => (
				<li>
					<a href={guidePath(chapter)}>{chapter.title}</a>
					<br />
					<span class="soft">{chapter.summary}</span>
				</li>
			))}
		</ol>
		<h2 id="book">The book</h2>
		<p>Everything about the service, for those who integrate, run or change it.</p>
		<ul>
			{CHAPTERS.map((chapter) => (
				<li>
					<a href={chapterPath(chapter)}>{chapter.title}</a>
				</li>
			))}
		</ul>
		<h2 id="machines">For machines</h2>
		<ul>
			<li>
				<a href="/openapi.json">/openapi.json</a>: the API as an OpenAPI 3.1 document;{' '}
				<a href="/openapi-3.0.json">/openapi-3.0.json</a> for older generators
			</li>
			<li>
				<a href="/status.json">/status.json</a>: what works now, and over the last 90 days
			</li>
			<li>
				<a href="/api/rates.xml">/api/rates.xml</a>: the rate feed
			</li>
		</ul>
	</DocsPage>
);
