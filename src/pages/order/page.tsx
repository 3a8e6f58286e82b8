/** The pages at `/o/{id}`: the one that waits for its token, the order itself, and what is shown instead of an order. */
import type { Child } from 'hono/jsx';
import type { PayerOrder } from '../../payer/order.ts';
import type { NamedAnswer } from '../../treasury/strays/named-answer.ts';
import { Layout } from '../parts/layout.tsx';
import { Field, Send } from '../parts/parts.tsx';
import { State } from '../parts/state.tsx';
import { Help, NOBODY } from './help.tsx';
import { storyOf } from './story.ts';
import { OrderView } from './view.tsx';

interface Frame {
	readonly id: string;
	/** A framed page has no head and no foot. */
	readonly bare: boolean;
	/** The service's host, which a printed page names. */
	readonly host: string;
}

const Order = ({ id, bare, host, title, children }: Frame & { readonly title: string; readonly children: Child }) => (
	<Layout title={title} width="narrow" links={[]} scripts={['order.js']} bare={bare}>
		<div id="order" data-id={id}>
			{children}
		</div>
		<p
			id="link"
			class="note warn"
			hidden
			role="status"
			data-gone="The connection is gone. Your order goes on; this page tries again by itself."
			data-offline="You are offline. Your order goes on; this page continues when you are back."
			data-many="Too many requests came from your network. Your order goes on; this page tries again by itself."
		/>
		<p class="printed">{`Partner Exchange · ${host}/o/${id}`}</p>
	</Layout>
);

/**
 * Without a token there is nothing to show yet: it is in the part of the address that browsers do not send. The script
 * reads it there; without JavaScript it is entered.
 */
export const WaitingPage = (frame: Frame) => (
	<Order {...frame} title="Your order">
		<div class="stack waits">
			<h1>Your order</h1>
			<p>
				This page shows an order to everybody who has its full link. Without JavaScript, enter the part of the link
				after the “#”.
			</p>
			<TokenForm id={frame.id} />
		</div>
	</Order>
);

export const ShownPage = ({
	id,
	bare,
	host,
	...order
}: Frame & { readonly shown: PayerOrder; readonly named: NamedAnswer | null; readonly token: string }) => (
	<Order id={id} bare={bare} host={host} title={storyOf(order.shown).headline}>
		<OrderView {...order} />
	</Order>
);

export const UnknownPage = (frame: Frame) => (
	<Order {...frame} title="We can’t show this order">
		<Unknown id={frame.id} />
	</Order>
);

const ORDER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same whether there is no such order, or the token is not its token. */
export const Unknown = ({ id }: { readonly id: string }) => (
	<div class="stack" data-live="end" data-title="We can’t show this order">
		<div class="headline">
			<p class="row">
				<State tone="plain" word="Not shown" />
			</p>
			<h1 tabindex={-1}>We can’t show this order</h1>
			<p>The link is incomplete or wrong. If you have sent coins, they are not lost: orders go on without this page.</p>
		</div>
		<p>
			A whole link ends with “#” and 43 letters, digits, “-” or “_”. Open it again as you were given it, or enter that
			last part:
		</p>
		<TokenForm id={id} />
		<Help id={ORDER_ID.test(id) ? id : null} partner={NOBODY} />
	</div>
);

const TokenForm = ({ id }: { readonly id: string }) => (
	<form method="post" action={`/o/${encodeURIComponent(id)}`} data-token>
		<Field name="token" label="The part after the “#”" type="password" required autocomplete="off" maxlength={60} />
		<Send text="Show the order" />
	</form>
);

export const TooManyPage = (frame: Frame) => (
	<Order {...frame} title="Too many requests">
		<div class="stack" data-live="slow" data-says="many">
			<h1>Too many requests came from your network</h1>
			<p>Your order goes on. This page tries again by itself; without JavaScript, load it again in a minute.</p>
		</div>
	</Order>
);
