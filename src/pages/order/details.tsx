/** The order's facts, its transactions, and what happened when. */
import type { Child } from 'hono/jsx';
import type { PayerDeposit, PayerOrder } from '../../payer/order.ts';
import { Address } from '../parts/copyable.tsx';
import { Card, Facts, type Moment, Time, TimeLine } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';
import type { Say } from '../say.ts';
import { csvOf } from './receipt.ts';
import { Transaction } from './transaction.tsx';
import { coinOf, coins, coinsOn, floorText, rateText, tookText } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
}

/** The receipt of the swap, to keep: it prints as it stands. */
export function Receipt({ shown, host }: Props & { readonly host: string }) {
	const say = useSay();
	const { order, refund, partner } = shown;
	const { from, time } = order;
	const isDone = order.status === 'DONE';
	const paidAt = shown.deposits.find(({ state }) => state !== 'gone')?.at;
	const finishedAt = isDone ? (time.finish ?? time.update) * 1000 : (refund?.at ?? time.update * 1000);
	return (
		<Card title={say('details.receipt')} loud>
			<Facts
				facts={{
					[say('details.youSent')]: ltr(coinsOn(from.tx.amount ?? from.amount, from)),
					[say('details.payment')]: from.tx.id && <Transaction id={from.tx.id} shown={shown} />,
					...(isDone ? sentFacts(shown, finishedAt, say) : returnedFacts(shown, say)),
					[say('details.paidAt')]: paidAt && <Time at={paidAt} exact zoned />,
					[say('details.when')]: <Time at={finishedAt} exact zoned />,
					[say('details.service')]: ltr(`Partner Exchange, ${host}`),
					[say('details.shop')]: partner.name && <bdi>{shownPlain(partner.name)}</bdi>,
					[say('details.order')]: <code>{order.id}</code>,
				}}
			/>
			<p class="row">
				<button type="button" class="plain" data-print hidden>
					{say('details.print')}
				</button>
				<a class="button plain" href={csvOf(shown, host)} download={`receipt-${order.id}.csv`}>
					{say('details.csv')}
				</a>
			</p>
		</Card>
	);
}

function sentFacts(shown: PayerOrder, finishedAt: number, say: Say): Readonly<Record<string, Child>> {
	const { rate, networkFee, from, to } = shown.order;
	return {
		[say('details.weSent')]: ltr(coinsOn(to.tx.amount ?? to.amount, to)),
		[say('details.payout')]: to.tx.id && <Transaction id={to.tx.id} shown={shown} />,
		[say('details.rate')]: ltr(rateText(rate, from.code, to.code)),
		[say('details.networkFee')]: say('details.feeTaken', { fee: coins(networkFee, to.code) }),
		[say('details.took')]: took(shown, finishedAt, say),
	};
}

function returnedFacts(shown: PayerOrder, say: Say): Readonly<Record<string, Child>> {
	const { refund, order } = shown;
	const { from, back } = order;
	return {
		[say('details.weReturned')]: refund && ltr(coinsOn(refund.amount, from)),
		[say('details.return')]: back.tx.id && <Transaction id={back.tx.id} shown={shown} />,
		[say('details.networkFee')]: refund && say('details.feePaid', { fee: coins(refund.networkFee, from.code) }),
		[say('details.to')]: <Address value={shownPlain(back.address ?? '')} />,
	};
}

/** A text that is the same in every language, and runs from left to right. */
const ltr = (text: string): Child => <bdi dir="ltr">{text}</bdi>;

/** From the first deposit to the payout. */
function took({ deposits }: PayerOrder, finishedAt: number, say: Say): Child {
	const first = deposits.find(({ state }) => state !== 'gone');
	return first ? say('details.tookFrom', { time: tookText(say, (finishedAt - first.at) / 1000) }) : null;
}

/** The amount that comes out, and where it goes. */
export function Swap({ shown }: Props) {
	const say = useSay();
	const { order, quote } = shown;
	const { from, to, back } = order;
	const live = order.status === 'NEW' || order.status === 'PENDING';
	const rate = live && quote ? quote.rate : order.rate;
	const amount = live && quote ? quote.toAmount : order.to.amount;
	const floor = floorText(order);
	if (order.status === 'DONE' || order.status === 'EXPIRED') return <Addresses shown={shown} />;
	return (
		<Card title={say('details.swap')}>
			<Facts
				facts={{
					[say(live || order.status === 'EMERGENCY' ? 'details.getAbout' : 'details.get')]: ltr(coinsOn(amount, to)),
					[say('details.atLeast')]: floor && ltr(floor),
					[say(order.status === 'EXCHANGE' ? 'details.rateFixed' : 'details.rateNow')]: ltr(
						rateText(rate, from.code, to.code),
					),
					[say('details.networkFee')]: say('details.feeTaken', { fee: coins(order.networkFee, to.code) }),
					[say('details.toBeSent')]: <Address value={shownPlain(to.address)} />,
					[say('details.refundAddress')]: back.address && <Address value={shownPlain(back.address)} />,
				}}
			/>
			{live && <p class="small soft">{say('details.rateMoves', { coin: coinOf(to.code) })}</p>}
			{floor && order.status !== 'EXCHANGE' && <p class="small soft">{say('details.floor', { floor })}</p>}
		</Card>
	);
}

function Addresses({ shown: { order, deposits } }: Props) {
	const say = useSay();
	return (
		<Card title={say('details.addresses')}>
			<Facts
				facts={{
					// Nobody is to pay to it again.
					[say('details.paidTo')]: deposits.length > 0 && <Address value={shownPlain(order.from.address)} />,
					[say('details.sentTo')]: order.to.tx.id !== null && <Address value={shownPlain(order.to.address)} />,
					[say('details.refundAddress')]: order.back.address && <Address value={shownPlain(order.back.address)} />,
				}}
			/>
		</Card>
	);
}

export function History({ shown }: Props) {
	const say = useSay();
	const { order, beyond } = shown;
	return (
		<Card title={say('details.history')}>
			<TimeLine moments={[...past(shown, say), ...future(shown, say)]} />
			{beyond && order.status === 'EXCHANGE' && (
				<p>{say('details.beyond', { amount: coins(beyond, order.from.code) })}</p>
			)}
		</Card>
	);
}

function past(shown: PayerOrder, say: Say): Moment[] {
	const { order, deposits, refund } = shown;
	const { time, from, to, back } = order;
	const moments: Moment[] = [
		{ text: say('details.created'), at: time.reg * 1000 },
		...deposits.map((deposit): Moment => {
			const { txId, at, state } = deposit;
			const detail = <Transaction id={txId} shown={shown} />;
			return { text: depositText(deposit, from.code, say), at, detail, tone: state === 'gone' ? 'warn' : 'good' };
		}),
	];
	if (order.status === 'EXPIRED' && order.time.left === 0)
		moments.push({ text: say('details.timeOver'), at: time.expiration * 1000 });
	if (refund?.state === 'sent' && refund.at !== null && back.tx.id !== null)
		moments.push({
			text: say('details.returned', { amount: coins(refund.amount, from.code) }),
			at: refund.at,
			detail: <Transaction id={back.tx.id} shown={shown} />,
		});
	if (to.tx.id !== null)
		moments.push({
			text: say('details.sent', { amount: coins(to.tx.amount ?? to.amount, to.code) }),
			// It is known to the second, and what it follows more exactly.
			at: Math.max((time.finish ?? time.update) * 1000, ...beforePayout(shown)),
			detail: <Transaction id={to.tx.id} shown={shown} />,
		});
	return moments.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** Unix milliseconds of the deposits that were seen within the second of the payout. */
const beforePayout = ({ deposits, order: { time } }: PayerOrder): number[] =>
	deposits.map(({ at }) => at).filter((at) => Math.floor(at / 1000) === (time.finish ?? time.update));

function depositText({ state, amount: units }: PayerDeposit, code: string, say: Say): string {
	const amount = coins(units, code);
	if (state === 'gone') return say('details.dropped', { amount });
	return state === 'final' ? say('details.received', { amount }) : say('details.seen', { amount });
}

function future({ order, refund }: PayerOrder, say: Say): Moment[] {
	const payout: Moment = { text: say('details.willSend', { coin: coinOf(order.to.code) }), at: null };
	if (refund?.state === 'underway')
		return [{ text: say('details.willReturn', { coin: coinOf(order.from.code) }), at: null }];
	if (order.status === 'NEW') return [{ text: say('details.yourPayment'), at: null }, payout];
	if (order.status === 'PENDING') return [{ text: say('details.yourPaymentConfirmed'), at: null }, payout];
	if (order.status === 'EMERGENCY') return [{ text: say('details.decision'), at: null }];
	return order.status === 'EXCHANGE' ? [payout] : [];
}
