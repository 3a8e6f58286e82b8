/**
 * An order for who has a link that only reads: where it stands. It has nothing that `GET /api/v1/status` does not answer, and
 * no form but the choice of a language.
 */
import type { PayerStatus } from '../../payer/order.ts';
import { Address } from '../parts/copyable.tsx';
import { Card, Facts, State, Time } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';
import { Help } from './help.tsx';
import { Pay } from './pay.tsx';
import { KINDS, type Kind } from './story.ts';
import { Transaction } from './transaction.tsx';
import { Part } from './view.tsx';
import { coinsOn, rateText } from './words.ts';

type Order = PayerStatus['order'];

/** The state in a word or two. */
export const wordOf = (order: Order) => KINDS[kindOf(order)];

function kindOf({ status, time, emergency, back, from }: Order): Kind {
	switch (status) {
		case 'NEW':
			return time.left > 0 ? 'pay' : 'checking';
		case 'PENDING':
			return 'confirming';
		case 'EXCHANGE':
			return 'sending';
		case 'DONE':
			return 'done';
		case 'EMERGENCY':
			return emergency.choice === 'EXCHANGE' ? 'chosen' : 'decide';
		case 'EXPIRED':
			if (back.tx.id !== null) return 'returned';
			// Something came: whether it goes back is not known here.
			return from.tx.id === null ? 'expired' : 'closed';
		default:
			return status satisfies never;
	}
}

export function StatusView({ status: shown }: { readonly status: PayerStatus }) {
	const say = useSay();
	const { order, version, now, partner } = shown;
	const [tone, key] = wordOf(order);
	const word = say(key);
	return (
		<div
			class="stack"
			data-version={version}
			data-now={now}
			data-live={order.status === 'DONE' || order.status === 'EXPIRED' ? 'slow' : 'fast'}
			data-title={word}
		>
			<Part name="head">
				<div class={`headline ${tone}`}>
					<p class="row">
						<State tone={tone} word={word} />
					</p>
					<h1 tabindex={-1}>{say('page.title')}</h1>
				</div>
			</Part>
			<Part name="action">{order.status === 'NEW' && order.time.left > 0 && <Pay from={order.from} />}</Part>
			<Part name="swap">
				<OrderFacts shown={shown} />
			</Part>
			<Part name="help">
				<Help id={order.id} partner={partner} />
			</Part>
		</div>
	);
}

/** Facts that are null are left out. */
function OrderFacts({ shown }: { readonly shown: PayerStatus }) {
	const say = useSay();
	const { from, to, back, time, rate, networkFee } = shown.order;
	const isSent = to.tx.id !== null;
	const ltr = (text: string) => <bdi dir="ltr">{text}</bdi>;
	return (
		<Card title={say('details.swap')}>
			<Facts
				facts={{
					[say('details.created')]: <Time at={time.reg * 1000} exact zoned />,
					[say('details.yourPayment')]: ltr(coinsOn(from.tx.amount ?? from.amount, from)),
					// Before that it is not paid to, or stands above.
					[say('details.paidTo')]: from.tx.id && <Address value={shownPlain(from.address)} />,
					[say('details.payment')]: from.tx.id && <Transaction id={from.tx.id} shown={shown} />,
					[say(isSent ? 'details.weSent' : 'details.getAbout')]: ltr(coinsOn(to.tx.amount ?? to.amount, to)),
					[say(isSent ? 'details.sentTo' : 'details.toBeSent')]: <Address value={shownPlain(to.address)} />,
					[say('details.payout')]: to.tx.id && <Transaction id={to.tx.id} shown={shown} />,
					[say('details.rate')]: ltr(rateText(rate, from.code, to.code)),
					[say('details.networkFee')]: ltr(coinsOn(networkFee, to)),
					[say('details.refundAddress')]: back.address && <Address value={shownPlain(back.address)} />,
					[say('details.return')]: back.tx.id && <Transaction id={back.tx.id} shown={shown} />,
					[say('details.when')]: time.finish !== null && <Time at={time.finish * 1000} exact zoned />,
				}}
			/>
		</Card>
	);
}
