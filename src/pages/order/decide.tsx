/** A payer's choices about an order that needs a decision: exchange what came, send what is missing, or ask. */
import type { PayerOrder } from '../../payer/order.ts';
import { Card, Send, Time } from '../parts/parts.tsx';
import { Pay } from './pay.tsx';
import { coins, rateText } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
	readonly token: string | null;
}

export function Decide({ shown, token }: Props) {
	const { order, received, missing, mayExchange } = shown;
	const { from, to } = order;
	const worth = order.to.amount === '0' ? null : coins(to.amount, to.code);
	return (
		<Card title="What can be done">
			<p>
				{worth
					? `At the current rate your ${coins(received, from.code)} bring ${worth}, after the network fee.`
					: `At the current rate your ${coins(received, from.code)} would not pay the network fee of an exchange.`}
			</p>
			{mayExchange && worth && <Exchange shown={shown} worth={worth} token={token} />}
			{missing && <TopUp shown={shown} missing={missing} />}
			<h3>Have it returned</h3>
			<p>Ask below. What came, less the network fee of sending it, goes to the refund address of this order.</p>
		</Card>
	);
}

function Exchange({ shown, worth, token }: Props & { readonly worth: string }) {
	const { order, received } = shown;
	const { from, to } = order;
	return (
		<form method="post" action={`/o/${order.id}`} data-send>
			<h3>Exchange at the current rate</h3>
			<p>
				{`${rateText(order.rate, from.code, to.code)}. The rate moves: it is fixed at the moment of the exchange, shortly after you decide. This cannot be undone.`}
			</p>
			<input type="hidden" name="action" value="exchange" />
			{token !== null && <input type="hidden" name="token" value={token} />}
			<Send text={`Exchange ${coins(received, from.code)} for about ${worth}`} />
		</form>
	);
}

const TopUp = ({ shown, missing }: { readonly shown: PayerOrder; readonly missing: string }) => (
	<div class="stack">
		<h3>Send what is missing</h3>
		<p>
			{`Send ${coins(missing, shown.order.from.code)} more to the same address, and the order goes on by itself. The time for it ends `}
			<Time at={shown.order.time.expiration * 1000} />.
		</p>
		<Pay from={shown.order.from} amount={missing} />
	</div>
);
