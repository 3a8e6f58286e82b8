/** `/`: what this is, and where to go. */
import { Layout } from '../parts/layout.tsx';
import { Card } from '../parts/parts.tsx';

export const FrontPage = () => (
	<Layout title="Swap one coin for another" path="/">
		<h1>Swaps for your wallet, your shop, your aggregator</h1>
		<p class="soft">
			Partner Exchange is an open service: your users swap one crypto asset for another, without an account, and you
			earn a margin on each order.
		</p>
		<div class="grid">
			<Card title="Build">
				<p>Quote a price, create an order, follow it until the payout is sent.</p>
				<a class="button" href="/docs">
					Read the docs
				</a>
			</Card>
			<Card title="Your cabinet">
				<p>Volume, earnings, orders, credentials and webhooks of your partner account.</p>
				<a class="button plain" href="/cabinet">
					Sign in
				</a>
			</Card>
			<Card title="Paid into an order?">
				<p>Open the link that you were given. It shows where your coins are, and what happens next.</p>
				<a class="button plain" href="/docs/orders">
					How an order goes
				</a>
			</Card>
			<Card title="Is it working?">
				<p>Networks and prices, now and over the last 90 days.</p>
				<a class="button plain" href="/status">
					Status
				</a>
			</Card>
		</div>
	</Layout>
);
