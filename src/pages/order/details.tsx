/** The order's facts, its transactions, and what happened when. */
import type { Child } from 'hono/jsx';
import type { PayerOrder } from '../../payer/order.ts';
import { Address } from '../parts/copyable.tsx';
import { Card, Facts, type Moment, Time, TimeLine } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { Transaction } from './transaction.tsx';
import { coinOf, coins, coinsOn, rateText, tookText } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
}

/** The receipt of the swap, to keep: it prints as it stands. */
export function Receipt({ shown }: Props) {
	const { order, refund, partner } = shown;
	const { from, to, back, time } = order;
	const isDone = order.status === 'DONE';
	const finishedAt = isDone ? (time.finish ?? time.update) * 1000 : (refund?.at ?? time.update * 1000);
	return (
		<Card title="Receipt">
			<Facts
				facts={{
					'You sent': coinsOn(from.tx.amount ?? from.amount, from),
					Payment: from.tx.id && <Transaction id={from.tx.id} shown={shown} />,
					...(isDone
						? {
								'We sent': coinsOn(to.tx.amount ?? to.amount, to),
								Payout: to.tx.id && <Transaction id={to.tx.id} shown={shown} />,
								Rate: rateText(order.rate, from.code, to.code),
								'Network fee': `${coins(order.networkFee, to.code)}, already taken off`,
								'Time taken': took(shown, finishedAt),
							}
						: {
								'We returned': refund && coinsOn(refund.amount, from),
								Return: back.tx.id && <Transaction id={back.tx.id} shown={shown} />,
								'Network fee': refund && `${coins(refund.networkFee, from.code)}, paid from what you sent`,
								To: <Address value={shownPlain(back.address ?? '')} />,
							}),
					When: <Time at={finishedAt} exact />,
					Shop: partner.name && shownPlain(partner.name),
					Order: <code>{order.id}</code>,
				}}
			/>
			<button type="button" class="plain" data-print hidden>
				Print or save the receipt
			</button>
		</Card>
	);
}

/** From the first deposit to the payout. */
function took({ deposits }: PayerOrder, finishedAt: number): Child {
	const first = deposits.find(({ state }) => state !== 'gone');
	return first ? `${tookText((finishedAt - first.at) / 1000)} from your payment` : null;
}

/** The amount that comes out, and where it goes. */
export function Swap({ shown }: Props) {
	const { order, quote } = shown;
	const { from, to, back } = order;
	const live = order.status === 'NEW' || order.status === 'PENDING';
	const rate = live && quote ? quote.rate : order.rate;
	const amount = live && quote ? quote.toAmount : order.to.amount;
	if (order.status === 'DONE' || order.status === 'EXPIRED') return <Addresses shown={shown} />;
	return (
		<Card title="Your swap">
			<Facts
				facts={{
					[live || order.status === 'EMERGENCY' ? 'You get about' : 'You get']: coinsOn(amount, to),
					[order.status === 'EXCHANGE' ? 'Rate, fixed' : 'Rate now']: rateText(rate, from.code, to.code),
					'Network fee': `${coins(order.networkFee, to.code)}, already taken off`,
					'To be sent to': <Address value={shownPlain(to.address)} />,
					'Refund address': back.address && <Address value={shownPlain(back.address)} />,
				}}
			/>
			{live && (
				<p class="small soft">
					{`The rate moves until your payment is confirmed. Then it is fixed, and your ${coinOf(to.code)} are sent.`}
				</p>
			)}
		</Card>
	);
}

const Addresses = ({ shown: { order, deposits } }: Props) => (
	<Card title="Addresses of this order">
		<Facts
			facts={{
				// Nobody is to pay to it again.
				'Paid to': deposits.length > 0 && <Address value={shownPlain(order.from.address)} />,
				'Sent to': order.to.tx.id !== null && <Address value={shownPlain(order.to.address)} />,
				'Refund address': order.back.address && <Address value={shownPlain(order.back.address)} />,
			}}
		/>
	</Card>
);

export function History({ shown }: Props) {
	const { order, beyond } = shown;
	return (
		<Card title="History">
			<TimeLine moments={[...past(shown), ...future(shown)]} />
			{beyond && order.status === 'EXCHANGE' && (
				<p>{`${coins(beyond, order.from.code)} came after the exchange had begun. They are not lost: ask below to have them returned.`}</p>
			)}
		</Card>
	);
}

function past(shown: PayerOrder): Moment[] {
	const { order, deposits, refund } = shown;
	const { time, from, to, back } = order;
	const moments: Moment[] = [
		{ text: 'Order created', at: time.reg * 1000 },
		...deposits.map(({ txId, amount, at, state }): Moment => {
			const text = state === 'gone' ? 'seen, then dropped' : state === 'final' ? 'received' : 'seen';
			const detail = <Transaction id={txId} shown={shown} />;
			return { text: `${coins(amount, from.code)} ${text}`, at, detail, tone: state === 'gone' ? 'warn' : 'good' };
		}),
	];
	if (order.status === 'EXPIRED' && order.time.left === 0)
		moments.push({ text: 'Time to pay was over', at: time.expiration * 1000 });
	if (refund?.state === 'sent' && refund.at !== null && back.tx.id !== null)
		moments.push({
			text: `${coins(refund.amount, from.code)} returned`,
			at: refund.at,
			detail: <Transaction id={back.tx.id} shown={shown} />,
		});
	if (to.tx.id !== null)
		moments.push({
			text: `${coins(to.tx.amount ?? to.amount, to.code)} sent`,
			at: (time.finish ?? time.update) * 1000,
			detail: <Transaction id={to.tx.id} shown={shown} />,
		});
	return moments.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function future({ order, refund }: PayerOrder): Moment[] {
	const payout: Moment = { text: `${coinOf(order.to.code)} sent to you`, at: null };
	if (refund?.state === 'underway') return [{ text: `${coinOf(order.from.code)} returned to you`, at: null }];
	if (order.status === 'NEW') return [{ text: 'Your payment', at: null }, payout];
	if (order.status === 'PENDING') return [{ text: 'Your payment confirmed', at: null }, payout];
	if (order.status === 'EMERGENCY') return [{ text: 'A decision', at: null }];
	return order.status === 'EXCHANGE' ? [payout] : [];
}
