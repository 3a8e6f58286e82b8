/**
 * Follows an order by reading it again and again. Transient failures are waited out; nothing is remembered between
 * polls but the last status, so a caller can stop and wait again at any time.
 */
import type { Clock } from './clock.ts';
import { ExchangeError } from './errors.ts';
import { isTransient } from './retry.ts';
import type { Order } from './wire.js';

export type OrderStatus = Order['status'];

export interface WaitOptions {
	/**
	 * Ends at one of these, or at one that comes after it: NEW, PENDING, EXCHANGE, DONE. DONE and EXPIRED always end it.
	 * Without it: DONE, EXPIRED, and EMERGENCY, which needs a choice.
	 */
	readonly until?: OrderStatus | readonly OrderStatus[] | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Called with the order at the first read and at each change of its status. */
	readonly onStatus?: ((order: Order) => unknown) | undefined;
	/** Between two reads. Without it 30 to 60 seconds, and less when the deposit window is about to close. */
	readonly pollSeconds?: number | undefined;
	/** How long to wait at most. A day without it. */
	readonly timeoutSeconds?: number | undefined;
}

/** The order has not come so far in time. `order`: as it was read last. */
export class WaitTimeoutError extends ExchangeError {
	override readonly name = 'WaitTimeoutError';
	readonly order: Order | null;

	constructor(order: Order | null) {
		super(
			order ? `the order is ${order.status} and was waited for long enough` : 'the order could not be read in time',
		);
		this.order = order;
	}
}

const DAY_SECONDS = 86_400;
const PATH: readonly OrderStatus[] = ['NEW', 'PENDING', 'EXCHANGE', 'DONE'];
const ENDS: readonly OrderStatus[] = ['DONE', 'EXPIRED'];

/** `read`: the order as it is now. @throws WaitTimeoutError, what `read` says unless it is transient, the signal's reason */
export async function waitFor(read: () => Promise<Order>, clock: Clock, options: WaitOptions = {}): Promise<Order> {
	const { until = [...ENDS, 'EMERGENCY'], signal, onStatus, pollSeconds, timeoutSeconds = DAY_SECONDS } = options;
	const wanted = [until].flat() as OrderStatus[];
	const deadline = clock.now() + timeoutSeconds * 1000;
	let last: Order | null = null;
	for (;;) {
		signal?.throwIfAborted();
		const order: Order | null = await readOnce(read);
		if (order && order.status !== last?.status) await onStatus?.(order);
		last = order ?? last;
		if (order && isReached(order.status, wanted)) return order;
		const pause = (pollSeconds ?? pauseSeconds(last)) * 1000;
		if (clock.now() + pause > deadline) throw new WaitTimeoutError(last);
		await clock.wait(pause, signal);
	}
}

async function readOnce(read: () => Promise<Order>): Promise<Order | null> {
	try {
		return await read();
	} catch (error) {
		if (isTransient(error)) return null;
		throw error;
	}
}

function isReached(status: OrderStatus, wanted: readonly OrderStatus[]): boolean {
	if (ENDS.includes(status) || wanted.includes(status)) return true;
	return wanted.some((each) => PATH.includes(each) && PATH.indexOf(status) > PATH.indexOf(each));
}

const USUAL_SECONDS = 30;
/** While much of the deposit window is left, nothing hurries. */
const UNHURRIED_SECONDS = 60;

/** The contract recommends 30 to 60 seconds. Only the end of the deposit window is met exactly. */
export function pauseSeconds(order: Order | null): number {
	if (order?.status !== 'NEW') return USUAL_SECONDS;
	const { left } = order.time;
	if (left < USUAL_SECONDS) return left + 1;
	return left > 10 * UNHURRIED_SECONDS ? UNHURRIED_SECONDS : USUAL_SECONDS;
}
