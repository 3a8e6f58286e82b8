/**
 * Screening of the orders that a poll has loaded: what is known about each, what is asked now, and the refunds that it
 * demands. Nothing here waits for an answer.
 */
import { eq } from 'drizzle-orm';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Screened } from '../../orders/lifecycle.ts';
import { type DepositRow, type OrderRow, orders } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { logError } from '../../platform/log.ts';
import type { Market } from '../../pricing/market.ts';
import { unclaimedDeposits } from '../deposits/settle-store.ts';
import { planRefund } from '../transactions/refund.ts';
import { type Asking, askAndStore, type Screener } from './screener.ts';
import { isScreeningOn, type ScreeningVariables } from './service.ts';
import { screeningsOf, stopAsking } from './store.ts';
import type { ScreeningRow } from './table.ts';
import { combined, dueQuestions, type Subject, storedFor, subjectsOfPayout, subjectsOfRefund } from './verdict.ts';

/** An order with its deposits and what was said about them. */
export interface Screenable {
	readonly order: OrderRow;
	readonly rows: readonly DepositRow[];
	readonly screened: readonly ScreeningRow[];
}

/** An order that ends or has ended moves no money by itself: the operator's commands ask for themselves. */
const mayMove = ({ status, deletedAt }: OrderRow): boolean =>
	deletedAt === null && status !== 'EXCHANGE' && status !== 'DONE';

export const screenedOf = ({ order, rows, screened }: Screenable, isOn: boolean): Screened =>
	combined(subjectsOfPayout(order, rows, screened), screened, isOn);

/** The questions about the order; the refund address only once a refund is demanded. */
function subjectsOf(each: Screenable): Subject[] {
	const { order, rows, screened } = each;
	if (!mayMove(order)) return [];
	return screenedOf(each, true) === 'refund' ? subjectsOfRefund(order, rows) : subjectsOfPayout(order, rows, screened);
}

/** Asks what is due, in the background. */
export async function screenOrders(db: Db, loaded: readonly Screenable[], screener: Screener, now: number) {
	const asked = loaded.flatMap((each) => askingsOf(each, dueQuestions(subjectsOf(each), each.screened, now)));
	screener.ask(db, asked);
	const over = loaded.filter(
		({ order, screened }) =>
			screened.some(({ nextAskAt }) => nextAskAt !== null && nextAskAt <= now) &&
			!asked.some((asking) => asking.order.id === order.id),
	);
	await runBatch(
		db,
		over.map(({ order }) => stopAsking(db, order.id)),
	);
}

export const askingsOf = (
	{ order, screened }: Pick<Screenable, 'order' | 'screened'>,
	subjects: readonly Subject[],
): Asking[] => subjects.map((subject) => ({ order, subject, attempts: storedFor(subject, screened)?.attempts ?? 0 }));

/** The means of planning a refund. */
interface Means {
	readonly sealKeys: KeyRing;
	readonly market: Market;
	readonly isScreening: boolean;
	readonly now: number;
}

/**
 * Plans the refund of every order that screening wants sent back and whose deposit its partner knows of. Where it cannot
 * be planned now, the order stays due and the next poll tries again.
 */
export async function planScreenedRefunds(db: Db, loaded: readonly Screenable[], means: Means): Promise<void> {
	for (const each of loaded) {
		const { order } = each;
		const isOpen = order.status === 'PENDING' || order.status === 'EMERGENCY';
		if (!isOpen || !mayMove(order) || screenedOf(each, means.isScreening) !== 'refund') continue;
		try {
			await planRefund(db, order, { ...means, switches: means.market.settings }, []);
		} catch (error) {
			logError('screened_refund_not_planned', error, { orderId: order.id });
		}
	}
}

/** Questions of one run and at once: six slow answers of 5 s each are half of what the command waits. */
const ASKED = 24;
const AT_ONCE = 4;

/**
 * Asks what must be accepted before the order is refunded and is not yet: what was never asked, and what the service
 * held. Each answer is stored on its own. @throws what D1 throws
 */
export async function screenForRefund(env: ScreeningVariables, db: Db, orderId: string): Promise<void> {
	if (!isScreeningOn(env)) return;
	const [[order], unclaimed, screened] = await Promise.all([
		db.select().from(orders).where(eq(orders.id, orderId)),
		unclaimedDeposits(db, orderId),
		screeningsOf(db, orderId),
	]);
	if (!order || unclaimed.length === 0) return;
	const open = subjectsOfRefund(order, unclaimed).filter((subject) => {
		const row = storedFor(subject, screened);
		return row === undefined || (row.verdict === 'hold' && row.decidedBy === 'service');
	});
	const asked = askingsOf({ order, screened }, open.slice(-ASKED));
	for (let start = 0; start < asked.length; start += AT_ONCE)
		await Promise.all(asked.slice(start, start + AT_ONCE).map((asking) => askAndStore(env, db, asking)));
}
