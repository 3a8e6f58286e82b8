/** The pages at `/o/{id}`: the one that waits for its token, the order itself, and what is shown instead of an order. */
import type { Child } from 'hono/jsx';
import type { PayerStatus } from '../../payer/order.ts';
import { type Brand, siteName } from '../parts/brand.tsx';
import { Layout } from '../parts/layout.tsx';
import { Field, Send, State } from '../parts/parts.tsx';
import { Languages, useSay } from '../parts/speech.tsx';
import { Help, NOBODY } from './help.tsx';
import { StatusView, wordOf } from './status-view.tsx';
import { storyOf } from './story.ts';
import { OrderView, type ViewProps } from './view.tsx';
import { pathOf } from './words.ts';

interface Frame {
	readonly id: string;
	/** A framed page has no head and no foot. */
	readonly bare: boolean;
	/** The service's host, which a printed page names. */
	readonly host: string;
	/** Whose page it is; null where that is not known. */
	readonly brand?: Brand | null;
}

interface OrderProps extends Frame {
	readonly title: string;
	/** Without JavaScript the choice of a language sends it again. */
	readonly token?: string;
	readonly children: Child;
}

function Order({ id, bare, host, brand = null, title, token, children }: OrderProps) {
	const say = useSay();
	const languages = <Languages post={token === undefined ? undefined : { token }} />;
	return (
		<Layout
			title={title}
			width="narrow"
			links={[]}
			scripts={['order.js']}
			bare={bare}
			brand={brand}
			languages={languages}
		>
			<div id="order" data-id={id} data-site={siteName(brand)}>
				{children}
			</div>
			<p
				id="link"
				class="note warn"
				hidden
				role="status"
				data-gone={say('page.gone')}
				data-offline={say('page.offline')}
				data-many={say('page.many')}
			/>
			<p class="printed">
				<bdi dir="ltr">{`Partner Exchange · ${host}/o/${id}`}</bdi>
			</p>
		</Layout>
	);
}

/**
 * Without a token there is nothing to show yet: it is in the part of the address that browsers do not send. The script
 * reads it there; without JavaScript it is entered.
 */
export function WaitingPage(frame: Frame) {
	const say = useSay();
	return (
		<Order {...frame} title={say('page.title')}>
			<div class="stack waits">
				<h1>{say('page.title')}</h1>
				<p>{say('page.waits')}</p>
				<TokenForm id={frame.id} />
			</div>
		</Order>
	);
}

interface ShownProps extends Frame, ViewProps {
	readonly token: string;
}

export const ShownPage = ({ id, bare, host, ...order }: ShownProps) => (
	<Order
		id={id}
		bare={bare}
		host={host}
		brand={order.shown.partner}
		title={storyOf(order.shown, useSay()).headline}
		token={order.token}
	>
		<OrderView {...order} host={host} />
	</Order>
);

export const StatusPage = ({ status, ...frame }: Frame & { readonly status: PayerStatus; readonly token: string }) => (
	<Order {...frame} brand={status.partner} title={useSay()(wordOf(status.order)[1])}>
		<StatusView status={status} />
	</Order>
);

interface Contact {
	/** Whom to ask; null where the operator named nobody. */
	readonly support: string | null;
}

export const UnknownPage = ({ support, ...frame }: Frame & Contact) => (
	<Order {...frame} title={useSay()('page.unknown')}>
		<Unknown id={frame.id} support={support} />
	</Order>
);

const ORDER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same whether there is no such order, or the token is not its token. */
export function Unknown({ id, support }: Pick<Frame, 'id'> & Contact) {
	const say = useSay();
	return (
		<div class="stack" data-live="end" data-title={say('page.unknown')}>
			<div class="headline">
				<p class="row">
					<State tone="plain" word={say('page.unknownWord')} />
				</p>
				<h1 tabindex={-1}>{say('page.unknown')}</h1>
				<p>{say('page.unknownNext')}</p>
			</div>
			<p>{say('page.unknownLink')}</p>
			<TokenForm id={id} />
			<Help id={ORDER_ID.test(id) ? id : null} partner={{ ...NOBODY, support }} />
		</div>
	);
}

function TokenForm({ id }: { readonly id: string }) {
	const say = useSay();
	return (
		<form method="post" action={pathOf(id, say)} data-token>
			<Field name="token" label={say('page.tokenLabel')} type="password" required autocomplete="off" maxlength={60} />
			<Send text={say('page.show')} />
		</form>
	);
}

export function TooManyPage(frame: Frame) {
	const say = useSay();
	return (
		<Order {...frame} title={say('page.manyTitle')}>
			<div class="stack" data-live="slow" data-says="many">
				<h1>{say('page.manyHeadline')}</h1>
				<p>{say('page.manyNext')}</p>
			</div>
		</Order>
	);
}
