/** `/`: what this is, and where to go. */
import { allAssets, COINS } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { Layout } from '../parts/layout.tsx';
import { Card, Go } from '../parts/parts.tsx';

const FACTS: readonly (readonly [string, string])[] = [
	['No accounts', 'Your users need an address and nothing else.'],
	['Your margin', 'Up to 20 % on each order, in basis points, recorded to the last digit.'],
	['Exact', 'Every amount is an exact decimal, and every rounding is written down.'],
	['Paid once', 'Each step is stored before the next begins. A crash pays nothing twice.'],
	['Open', 'The code, the rules and their tests are public. Run it yourself in a minute.'],
];

export const FrontPage = () => (
	<Layout
		title="Swap one coin for another"
		path="/"
		about="Crypto swaps for your wallet, shop or aggregator, by one API: no accounts, your own margin on each order."
	>
		<h1>Swaps for your wallet, your shop, your aggregator</h1>
		<p class="soft">
			Your users swap one crypto asset for another, without an account, and you earn a margin on each order. One API:{' '}
			{allAssets().length} assets on {NETWORK_NAMES.length} networks.
		</p>
		<div class="grid">
			<Card title="Build">
				<p>Quote a price, create an order, follow it until the payout is sent. A first swap takes ten minutes.</p>
				<Go main to="/docs/quickstart" text="Quickstart" />
			</Card>
			<Card title="Your cabinet">
				<p>Volume, earnings, orders, credentials and webhooks of your partner account.</p>
				<Go to="/cabinet" text="Sign in" />
			</Card>
			<Card title="Paid into an order?">
				<p>Open the link that you were given. It shows where your coins are, and what happens next.</p>
				<Go to="/docs/orders" text="How an order works" />
			</Card>
			<Card title="Does everything work?">
				<p>Networks and prices, now and over the last 90 days.</p>
				<Go to="/status" text="Status" />
			</Card>
		</div>
		<h2>How a swap works</h2>
		<ol class="stack">
			<li>
				<b>You ask for a price</b> and show it, with your own margin in it.
			</li>
			<li>
				<b>You create an order.</b> It has an address of its own, and your user pays it.
			</li>
			<li>
				<b>The coins are confirmed,</b> the rate of that moment is taken, and the payout is sent to your user.
			</li>
			<li>
				<b>You are told</b> at every step, by signed webhooks, and see it in your cabinet.
			</li>
		</ol>
		<h2>What you can rely on</h2>
		<dl class="facts">{FACTS.map(([name, text]) => [<dt>{name}</dt>, <dd>{text}</dd>])}</dl>
		<p>
			And what you cannot: <a href="/docs/promises">what is promised, and what not</a>.
		</p>
		<h2>What can be swapped</h2>
		<p>
			{COINS.join(', ')}, on {NETWORK_NAMES.slice(0, -1).join(', ')} and {NETWORK_NAMES.at(-1)}.{' '}
			<a href="/docs/assets">All assets, with their confirmations and times</a>.
		</p>
	</Layout>
);
