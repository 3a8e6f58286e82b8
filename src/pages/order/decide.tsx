/** A payer's choices about an order that needs a decision: exchange what came, send what is missing, or ask. */
import type { PayerOrder } from '../../payer/order.ts';
import { Card, Send, Time } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import { DeedForm } from './deed.tsx';
import { Pay } from './pay.tsx';
import { coins, rateText } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
	readonly token: string | null;
}

export function Decide({ shown, token }: Props) {
	const say = useSay();
	const { order, missing, mayExchange } = shown;
	const received = coins(shown.received, order.from.code);
	const worth = order.to.amount === '0' ? null : coins(order.to.amount, order.to.code);
	return (
		<Card title={say('decide.title')} loud>
			<p>{worth ? say('decide.worth', { received, worth }) : say('decide.worthless', { received })}</p>
			{mayExchange && worth && <Exchange order={order} received={received} worth={worth} token={token} />}
			{missing && <TopUp shown={shown} missing={missing} />}
		</Card>
	);
}

interface ExchangeProps extends Pick<Props, 'token'> {
	readonly order: PayerOrder['order'];
	readonly received: string;
	readonly worth: string;
}

function Exchange({ order, received, worth, token }: ExchangeProps) {
	const say = useSay();
	const { id, from, to } = order;
	return (
		<DeedForm id={id} token={token} action="exchange">
			<h3>{say('decide.exchange')}</h3>
			<p>{say('decide.exchangeNext', { rate: rateText(order.rate, from.code, to.code) })}</p>
			<Send text={say('decide.exchangeButton', { received, worth })} />
		</DeedForm>
	);
}

function TopUp({ shown: { order }, missing }: { readonly shown: PayerOrder; readonly missing: string }) {
	const say = useSay();
	const time = <Time at={order.time.expiration * 1000} />;
	return (
		<div class="stack">
			<h3>{say('decide.topUp')}</h3>
			<p>{say.rich('decide.topUpNext', { amount: coins(missing, order.from.code), time })}</p>
			<Pay from={order.from} amount={missing} inside />
		</div>
	);
}
