/** `/`: what this is and for whom, with a picture of it, and where to go. */
import { allAssets, COINS } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { LANGUAGE_TAGS } from '../../partners/languages.ts';
import { Layout } from '../parts/layout.tsx';
import { Figure, Go, Section } from '../parts/parts.tsx';
import { Picture } from './picture.tsx';

const STEPS: readonly (readonly [string, string])[] = [
	['Ask for a price', 'Show it with your own margin in it. A quote costs nothing and binds nobody.'],
	['Create an order', 'It has an address of its own. Show our page, your own, or ours in a frame.'],
	['Your user pays', 'Once the coins are confirmed, the rate is fixed and the payout is sent.'],
	['You are told', 'A signed webhook at every step. Earnings add up in your cabinet.'],
];

const FACTS: readonly (readonly [string, string])[] = [
	['No accounts', 'Your users need an address and nothing else.'],
	['Exact sums', 'Every amount is an exact decimal, and every rounding is written down.'],
	['Paid once', 'Each step is stored before the next begins. A crash pays nothing twice.'],
	['A way back', 'Too little, too much, too late: your user sees what is possible, and can have it returned.'],
	['In their language', `${LANGUAGE_TAGS.length} languages, light and dark, on a phone in one hand.`],
	['Open', 'The code, the rules and their tests are public. Run it yourself in a minute.'],
];

/** As the quickstart sends it. */
const CALL = `POST /api/v1/create
{
  "type": "float", "direction": "from",
  "fromCcy": "BTC", "toCcy": "ETH",
  "amount": "0.05",
  "toAddress": "0x9858…da94",
  "refundAddress": "bc1qcr…fkgd"
}`;

export const FrontPage = () => (
	<Layout
		title="Swap one coin for another"
		path="/"
		style="front.css"
		about="Crypto swaps for your wallet, shop or aggregator, by one API: no accounts, your own margin on each order."
		links={[
			{ path: '/docs', text: 'Docs' },
			{ path: '/status', text: 'Status' },
			{ path: '/cabinet', text: 'Sign in' },
		]}
	>
		<div class="front">
			<div class="hero">
				<div class="stack">
					<h1>
						<span>Swaps for your users. </span>
						<span>A margin for you.</span>
					</h1>
					<p class="lead">
						One API puts crypto swaps into your wallet, shop or aggregator. No accounts, nothing for you to hold, and
						your own margin on every order.
					</p>
					<p class="row">
						<Go main to="/docs/quickstart" text="Start building" />
						<Go to="/docs" text="Read the docs" />
					</p>
					<p class="small soft">
						Paid into an order? Open the link that you were given: <a href="/docs/orders">how an order works</a>.
					</p>
				</div>
				<Picture />
			</div>
			<div class="grid strip">
				<Figure value={String(allAssets().length)} label="assets" />
				<Figure value={String(NETWORK_NAMES.length)} label="networks" />
				<Figure value="20%" label="margin at most, and you set it" />
				<Figure value="10 min" label="to a first swap in the sandbox" />
			</div>
			<Section title="How a swap works">
				<ol class="grid steps">
					{STEPS.map(([name, text]) => (
						<li>
							<b>{name}</b>
							<span class="soft">{text}</span>
						</li>
					))}
				</ol>
			</Section>
			<div class="hero call">
				<div class="stack">
					<h2>One call makes an order</h2>
					<p class="soft">
						Signed with your secret, answered with an address to pay. The API is described in OpenAPI, with samples for
						each call and a checker for your signature.
					</p>
					<p class="row">
						<Go to="/docs/api" text="API reference" />
						<Go to="/docs/signature" text="Signature checker" />
					</p>
				</div>
				<pre class="wraps">
					<code>{CALL}</code>
				</pre>
			</div>
			<Section title="What you can rely on">
				<dl class="grid">
					{FACTS.map(([name, text]) => (
						<div>
							<dt>
								<b>{name}</b>
							</dt>
							<dd class="soft">{text}</dd>
						</div>
					))}
				</dl>
				<p>
					And what you cannot: <a href="/docs/promises">what is promised, and what not</a>.
				</p>
			</Section>
			<Section title="What can be swapped">
				<ul class="row chips">
					{COINS.map((coin) => (
						<li>{coin}</li>
					))}
				</ul>
				<p class="soft">
					On {NETWORK_NAMES.slice(0, -1).join(', ')} and {NETWORK_NAMES.at(-1)}.{' '}
					<a href="/docs/assets">All assets, with their confirmations and times</a>.
				</p>
			</Section>
		</div>
	</Layout>
);
