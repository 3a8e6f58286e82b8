/**
 * `/docs/promise`: a signed promise, verified in the reader's browser. The fields have no name and there is no form, so nothing can be
 * sent. The page of a service that lies could lie too, and says so.
 */
import { Note } from '../parts/parts.tsx';
import { DocsPage } from './docs-frame.tsx';
import { PROMISES } from './docs-site.ts';
import { Typed } from './typed.tsx';

export const PromisePage = () => (
	<DocsPage path={PROMISES.path} title={PROMISES.title} scripts={['promise.js']}>
		<h1>{PROMISES.title}</h1>
		<p>
			Is the promise of an order signed by the service that has the wallets, and what does it promise? What a promise
			is, and what it does not say, is in <a href="/docs/book/verify">Verify it yourself</a>.
		</p>
		<Note tone="good">
			<p>Everything is computed in your browser. Nothing is sent, nothing is kept.</p>
		</Note>
		<Note>
			<p>
				Who fakes an address could fake this page. Open it at another service than the one that you check, or use the
				command or openssl, and take the key from where you saw it before.
			</p>
		</Note>
		<noscript>
			<Note>
				<p>This page needs JavaScript. Without it, openssl does the same.</p>
			</Note>
		</noscript>
		<section id="checker" class="stack" aria-label="What you have" hidden>
			<Typed
				id="promise"
				label="The promise"
				hint="The whole file of the order’s page, or the order’s field promise"
				rows={6}
			/>
			<Typed id="trusted" label="The keys that you trust" hint="Base64, one a line" rows={2} />
			<Typed
				id="published"
				label="The service’s list of keys"
				hint="Of /.well-known/partner-exchange-keys.json; may be left empty. It leads from a key that you trust to newer ones"
				rows={4}
			/>
		</section>
		<div id="verdict" class="stack" aria-live="polite" />
	</DocsPage>
);
