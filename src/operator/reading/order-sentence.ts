/** An order in one sentence: what happened to the coins, and what it waits for. Pure. */
import * as z from 'zod/mini';
import { countedTogether } from '../../orders/dust.ts';
import { lengthText, relativeText } from './time.ts';

const text = z.nullable(z.string());

/** The parts of the answer to `order show` that the sentence needs. */
const shownSchema = z.object({
	order: z.object({
		id: z.string(),
		status: z.string(),
		time: z.object({ reg: z.number(), expiration: z.number(), update: z.number(), finish: z.nullable(z.number()) }),
		from: z.object({ code: z.string(), amount: z.string(), address: z.string(), tx: z.object({ amount: text }) }),
		to: z.object({ code: z.string(), amount: z.string(), address: z.string(), tx: z.object({ amount: text }) }),
		back: z.object({ address: z.string() }),
		emergency: z.object({ status: z.array(z.string()), choice: z.string() }),
	}),
	internal: z.object({ usd: z.string(), deletedAt: text }),
	deposits: z.array(z.object({ amount: z.string(), state: z.string(), dust: z.boolean() })),
	payouts: z.array(
		z.object({
			kind: z.string(),
			state: z.string(),
			amount: z.string(),
			asset: z.string(),
			toAddress: z.string(),
			held: text,
			waitsBecause: text,
			sentAt: text,
		}),
	),
});

type Shown = z.infer<typeof shownSchema>;

/** Null for an answer of another shape. `now`: Unix milliseconds. */
export function orderSentence(data: unknown, now: number): string | null {
	const { data: shown } = shownSchema.safeParse(data);
	if (!shown) return null;
	const { deletedAt } = shown.internal;
	const deleted = deletedAt === null ? '' : ` Deleted ${relativeText(Date.parse(deletedAt), now)}.`;
	return `${sentence(shown, now)}.${deleted}`;
}

function sentence(shown: Shown, now: number): string {
	const { status, time, from, to } = shown.order;
	const since = lengthText(Math.max(0, now - time.update * 1000));
	const asked = `${from.amount} ${from.code} (${shown.internal.usd} USD)`;
	switch (status) {
		case 'NEW':
			return `NEW: waits for ${asked} at ${from.address}, for another ${lengthText(Math.max(0, time.expiration * 1000 - now))}`;
		case 'PENDING':
			return `PENDING for ${since}: ${pending(shown)}`;
		case 'EXCHANGE':
			return `EXCHANGE for ${since}: ${arrived(shown)}; ${transactionText(shown, 'payout', now)}`;
		case 'DONE': {
			const took = lengthText(((time.finish ?? time.update) - time.reg) * 1000);
			const amount = to.tx.amount ?? to.amount;
			return `DONE in ${took}: ${swapped(shown)} became ${amount} ${to.code}; paid to ${to.address}, ${relativeText((time.finish ?? time.update) * 1000, now)}${open(shown, now)}`;
		}
		case 'EXPIRED':
			return `EXPIRED ${relativeText(time.update * 1000, now)}: ${expired(shown, now)}`;
		case 'EMERGENCY':
			return `EMERGENCY for ${since} (${shown.order.emergency.status.join(', ')}): ${arrived(shown)}, ${from.amount} ${from.code} asked; ${choice(shown, now)}`;
		default:
			return status;
	}
}

/** The order's worth is that of what was asked, so it is left out where another amount arrived. */
function swapped({ order: { from }, internal }: Shown): string {
	const arrivedAmount = from.tx.amount ?? from.amount;
	return `${arrivedAmount} ${from.code}${arrivedAmount === from.amount ? ` (${internal.usd} USD)` : ''}`;
}

const counted = ({ deposits }: Shown) => countedTogether(deposits.filter(({ state }) => state !== 'gone'));

function arrived(shown: Shown): string {
	const amounts = counted(shown).map(({ amount }) => amount);
	return amounts.length === 0 ? 'no deposit' : `${amounts.join(' + ')} ${shown.order.from.code} arrived`;
}

function pending(shown: Shown): string {
	const seen = counted(shown);
	if (seen.length === 0) return 'its deposit was dropped, from mempool or chain';
	return seen.some(({ state }) => state === 'seen')
		? `${arrived(shown)}; waits until the deposit is final`
		: `${arrived(shown)} and is final; waits to be settled`;
}

function expired(shown: Shown, now: number): string {
	if (counted(shown).length === 0) return 'no deposit arrived';
	return `${arrived(shown)}; ${transactionText(shown, 'refund', now)}`;
}

function choice(shown: Shown, now: number): string {
	if (shown.payouts.some(({ kind }) => kind === 'refund')) return transactionText(shown, 'refund', now);
	return shown.order.emergency.choice === 'EXCHANGE'
		? 'exchange was chosen and cannot begin yet'
		: `waits for the choice of the partner, or for \`order refund ${shown.order.id}\``;
}

/** The movement that goes on after the payout: a refund of a later deposit. */
const open = (shown: Shown, now: number): string =>
	shown.payouts.some(({ kind }) => kind === 'refund') ? `; ${transactionText(shown, 'refund', now)}` : '';

/** The newest of its kind: how far it is, and why it goes no further. */
function transactionText({ order, payouts }: Shown, kind: 'payout' | 'refund', now: number): string {
	const newest = payouts.findLast((one) => one.kind === kind);
	if (!newest)
		return kind === 'payout'
			? 'no payout is planned'
			: `nothing was refunded; \`order refund ${order.id}\` sends it back`;
	const { amount, asset, toAddress, state, held, waitsBecause, sentAt } = newest;
	const what = `the ${kind} of ${amount} ${asset} to ${toAddress} is`;
	if (held !== null) return `${what} blocked: ${held}`;
	if (waitsBecause !== null) return `${what} ${state} and waits: ${waitsBecause}`;
	return `${what} ${state}${sentAt === null ? '' : `, ${relativeText(Date.parse(sentAt), now)}`}`;
}
