/**
 * `/docs/signature`: the bytes under a signature, worked out in the reader's browser. The fields have no name and there is no form, so
 * nothing can be sent. Without JavaScript it shows the command that does the same.
 */
import { raw } from 'hono/html';
import { SIGNING_EXAMPLE } from '../../docs/guide/signing.ts';
import { codeBlock } from '../../docs/page/html.ts';
import { Note } from '../parts/parts.tsx';
import { DocsPage } from './docs-frame.tsx';
import { CHECKER } from './docs-site.ts';
import { Typed } from './typed.tsx';

const { apiSecret, timestamp, nonce, body, timestampMode } = SIGNING_EXAMPLE;

const COMMAND = [
	'# The bytes',
	`printf '%s\\n%s\\n%s' "$TIMESTAMP" "$NONCE" "$BODY" | od -An -c`,
	'# The signature',
	`printf '%s\\n%s\\n%s' "$TIMESTAMP" "$NONCE" "$BODY" | openssl dgst -sha256 -hmac "$API_SECRET"`,
	'# In body-only mode, without X-API-TIMESTAMP',
	`printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$API_SECRET"`,
].join('\n');

/** A part that scrolls, and that a keyboard can reach. */
const BYTES =
	'<pre tabindex="0" role="group" aria-label="Bytes in hex and as text"><code id="bytes-shown"></code></pre>';

export const SignaturePage = () => (
	<DocsPage path={CHECKER.path} title={CHECKER.title} scripts={['signature.js']}>
		<h1>{CHECKER.title}</h1>
		<p>
			Code 3 never says what is wrong with a signature. Paste what your program used, and compare it with what the
			service computes, byte by byte.
		</p>
		<Note tone="good">
			<p>
				Everything is computed in your browser. Nothing is sent, nothing is kept. Use a secret of the sandbox if you
				would rather not paste a real one.
			</p>
		</Note>
		<noscript>
			<Note>
				<p>This page needs JavaScript to compute. Without it, the commands below show the same.</p>
			</Note>
		</noscript>
		<section id="checker" class="stack" aria-label="What your program used" hidden>
			<Typed id="secret" label="apiSecret" hint="The text as it was given to you" value={apiSecret} />
			<Typed id="timestamp" label="X-API-TIMESTAMP" hint="Unix seconds; empty for body-only mode" value={timestamp} />
			<Typed id="nonce" label="X-API-NONCE" hint="16 to 64 characters" value={nonce} />
			<Typed id="body" label="Body" hint="Exactly as it was sent; empty for a GET" rows={4} value={body} />
			<Typed id="yours" label="Your signature" hint="What your program made; may be left empty" value={timestampMode} />
		</section>
		<section id="worked" class="stack" aria-label="What the service computes" hidden>
			<h2 id="signature">The signature</h2>
			<p class="code">
				<code id="signature-hex" />
			</p>
			<div id="findings" class="stack" aria-live="polite" />
			<h2 id="bytes">The bytes under it</h2>
			<p class="soft" id="bytes-count" />
			<div class="code">{raw(BYTES)}</div>
			<p class="small soft">↵ is a line feed (0a), ← a carriage return (0d), · a blank (20), → a tab (09).</p>
		</section>
		<h2 id="openssl">The same with openssl</h2>
		{raw(codeBlock(COMMAND, 'Commands for openssl', true))}
		<p>
			What each mistake looks like is in <a href="/docs/signing#the-usual-mistakes">The usual mistakes</a>.
		</p>
	</DocsPage>
);
