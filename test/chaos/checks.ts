/** What must hold when nothing strikes any more: each check has a name, and says what it found. */
import type { OrderView } from '../../src/orders/view.ts';
import { operate } from '../cast/operator.ts';
import { PRICE } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { verify, type WebhookReceiver } from '../support/webhook-receiver.ts';
import type { Journal, KnownOrder, Member } from './journal.ts';
import { type ChaosService, pause } from './service.ts';

/** Webhooks that failed while the service was struck are tried again after minutes. */
const REST_SECONDS = 600;
const LOOK_MILLISECONDS = 1_000;

/** A check's name and its faults. */
export type Checked = readonly [name: string, faults: readonly string[]];

interface Shown {
	readonly order: OrderView;
	readonly payouts: readonly { readonly id: string; readonly kind: string; readonly state: string }[];
}

interface Followed {
	readonly order: KnownOrder;
	readonly view: OrderView;
	readonly shown: Shown;
}

interface Event {
	readonly id: string;
	readonly type: string;
	readonly data: { readonly order: OrderView; readonly previousStatus: string; readonly sequence: number };
}

/**
 * Every order as its partner and its operator read it now. A create that was repeated, because its answer was lost, gave no
 * token: that order only the operator reads. @throws where one cannot be read.
 */
async function readAll(service: ChaosService, orders: readonly KnownOrder[]): Promise<Followed[]> {
	const all: Followed[] = [];
	for (const order of orders) {
		const { id, token } = order.created;
		const { data: shown, error } = await operate<Shown>(service, 'order/show', { id });
		if (error !== undefined) throw new Error(`order ${id} is gone: ${error}`);
		all.push({ order, view: token ? await readAsPartner(service, order) : shown.order, shown });
	}
	return all;
}

async function readAsPartner(
	service: ChaosService,
	{ member, created: { id, token } }: KnownOrder,
): Promise<OrderView> {
	const { code, data, text } = await signed<OrderView>(service, member.credentials, '/api/v1/order', { id, token });
	if (code !== 0) throw new Error(`order ${id} is gone: ${text}`);
	return data;
}

const SENT = ['sent', 'final'];

/** Why this order is not at rest; null where it is. */
function unrest({ order, view, shown }: Followed): string | null {
	const { status } = view;
	if (shown.payouts.some(({ state }) => !SENT.includes(state))) return `a transaction is not sent`;
	if (status === 'PENDING' || status === 'EXCHANGE') return `it is ${status}`;
	if (order.deposited !== 'yes') return null;
	if (order.deposit === 'whole') return status === 'DONE' || hasReason(view) ? null : `it was paid and is ${status}`;
	if (order.refundAsked === 'yes') return view.back.tx.id ? null : 'its refund is not sent';
	return hasReason(view) || view.back.tx.id ? null : `it was paid another amount and is ${status}`;
}

const hasReason = ({ status, emergency }: OrderView): boolean => status === 'EMERGENCY' && emergency.status.length > 0;

/** Until every order is at rest and every change has its webhook, or the time is over. */
export async function untilRest(
	service: ChaosService,
	journal: Journal,
	receiver: WebhookReceiver,
): Promise<readonly Checked[]> {
	const deadline = Date.now() + REST_SECONDS * 1000;
	for (;;) {
		const all = await readAll(service, journal.orders);
		const restless = all.flatMap((each) => unrest(each) ?? []);
		const events = eventFaults(all, receiver);
		if ((restless.length === 0 && events.length === 0) || Date.now() > deadline) return checkOrders(all, events);
		await pause(LOOK_MILLISECONDS);
	}
}

function checkOrders(all: readonly Followed[], events: readonly string[]): Checked[] {
	const named = (faultOf: (each: Followed) => string | null) =>
		all.flatMap((each) => {
			const fault = faultOf(each);
			return fault ? [`${each.order.created.id}: ${fault}`] : [];
		});
	return [
		['each acknowledged order is there with its terms', named(termsFault)],
		['each paid order is DONE, or EMERGENCY with a reason, or refunded; none is stuck', named(unrest)],
		['no deposit is paid twice: one transaction per order', named(paidTwice)],
		['an unpaid order is NEW or EXPIRED and has no transaction', named(unpaidFault)],
		['each status change has one webhook event, signed, in one chain', events],
	];
}

function termsFault({ order: { created, body }, view }: Followed): string | null {
	const terms = ({ from, to, back }: OrderView) =>
		JSON.stringify([from.code, from.amount, from.address, to.code, to.address, back.address]);
	if (terms(created) !== terms(view)) return `${terms(created)} became ${terms(view)}`;
	return view.to.address === body['toAddress'] ? null : 'it pays another address';
}

/** One for each way out: a payout or a refund, never both. */
const paidTwice = ({ shown: { payouts } }: Followed): string | null =>
	payouts.length > 1 ? payouts.map(({ id, kind, state }) => `${kind} ${id} ${state}`).join(', ') : null;

function unpaidFault({ order, view, shown }: Followed): string | null {
	if (order.deposited !== 'no') return null;
	return ['NEW', 'EXPIRED'].includes(view.status) && shown.payouts.length === 0 ? null : `it is ${view.status}`;
}

function eventFaults(all: readonly Followed[], receiver: WebhookReceiver): string[] {
	const byOrder = Map.groupBy(
		receiver.received.filter(({ json }) => (json as Event)?.type === 'order.status_changed'),
		({ json }) => (json as Event).data.order.id,
	);
	return all.flatMap(({ order, view }) => {
		const { id } = order.created;
		const webhooks = byOrder.get(id) ?? [];
		const unsigned = webhooks.filter((webhook) => !verify(webhook, order.member.credentials.webhookSecret));
		if (unsigned.length > 0) return [`${id}: ${unsigned.length} webhooks have a wrong signature`];
		const events = new Map(webhooks.map(({ json }) => [(json as Event).id, json as Event]));
		const fault = chainFault([...events.values()], view.status);
		return fault ? [`${id}: ${fault}`] : [];
	});
}

/** Sequences 1, 2, 3, … once each; each begins in the status in which the one before ended; the last is the order's. */
function chainFault(events: Event[], status: string): string | null {
	events.sort((one, other) => one.data.sequence - other.data.sequence);
	let now = 'NEW';
	for (const [i, { data }] of events.entries()) {
		if (data.sequence !== i + 1) return `the event after ${i} of them has sequence ${data.sequence}`;
		if (data.previousStatus !== now) return `sequence ${data.sequence} begins ${data.previousStatus}, not ${now}`;
		now = data.order.status;
	}
	return now === status ? null : `the events end with ${now}, the order is ${status}`;
}

/** The newest acknowledged secret works, those before do not; each acknowledged code is there. */
export async function checkMembers(service: ChaosService, members: readonly Member[]): Promise<Checked[]> {
	const [secrets, codes]: [string[], string[]] = [[], []];
	for (const { credentials, endedSecrets, codes: own } of members) {
		const { apiKey } = credentials;
		const { text } = await signed(service, credentials, '/api/v1/price', PRICE);
		if (!text.startsWith('{"code":0,')) secrets.push(`${apiKey}: the newest secret: ${text.slice(0, 100)}`);
		for (const apiSecret of endedSecrets.slice(-3)) {
			const { code } = await signed(service, { ...credentials, apiSecret }, '/api/v1/price', PRICE);
			if (code !== 3) secrets.push(`${apiKey}: an ended secret is answered with code ${code}`);
		}
		const listed = await signed(service, credentials, '/api/v1/codes', '', { method: 'GET' });
		codes.push(...own.filter((code) => !listed.text.includes(`"${code}"`)).map((code) => `${apiKey}: ${code} is gone`));
	}
	return [
		['each acknowledged rotation holds', secrets],
		['each acknowledged reference code is there', codes],
	];
}

/** Differences are faults; what could not be compared is one too, since every chain is a sandbox. */
export async function checkLedger(service: ChaosService): Promise<Checked> {
	interface Books {
		readonly differences: number;
		readonly unchecked: number;
		readonly moving: number;
		readonly orders: number;
	}
	const { data, error } = await operate<Books>(service, 'ledger/check', { full: true });
	const isRight = data?.differences === 0 && data.unchecked === 0 && data.moving === 0;
	return ['ledger check finds 0 differences', isRight ? [] : [error ?? JSON.stringify(data).slice(0, 500)]];
}

/** What was written down as wrong while the service was struck. */
export const checkAnswers = ({ wrong }: Journal): Checked[] => [
	['one idempotency key is one order, also over a crash', wrong.create],
	['no nonce is accepted twice, also over a crash', wrong.nonce],
	['no call is answered with code 99 but on a full disk, and none with a wrong code', wrong.answer],
];
