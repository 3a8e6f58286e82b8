/**
 * Asks the screening service in the background, beside the polls of the agent: a slow answer delays its own order and
 * nothing else. Each answer is stored and the agent is woken, whose next poll acts on what is stored. The questions are
 * in memory alone: after a crash the next poll finds the orders still due and asks again.
 */
import type { OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { askScreening, type Question, type ScreeningVariables } from './service.ts';
import { answerStatements } from './store.ts';
import type { Subject } from './verdict.ts';

/** Questions under way at once: a Worker has six connections, and its node needs some of them. */
const LANES = 3;
/** Most questions that wait. The orders of further ones stay due. */
const MAX_WAITING = 500;

export interface Asking {
	readonly order: Pick<OrderRow, 'id' | 'fromNetwork'>;
	readonly subject: Subject;
	/** Times that it was asked before. */
	readonly attempts: number;
}

export class Screener {
	readonly #env: ScreeningVariables;
	readonly #wake: () => Promise<void>;
	/** Waiting and under way, by what is asked. */
	readonly #known = new Set<string>();
	readonly #waiting: Asking[] = [];
	#lanes = 0;

	constructor(env: ScreeningVariables, wake: () => Promise<void>) {
		this.#env = env;
		this.#wake = wake;
	}

	/** Returns at once. What is asked already is not asked twice. */
	ask(db: Db, asked: readonly Asking[]): void {
		for (const each of asked) {
			if (this.#known.has(keyOf(each)) || this.#waiting.length >= MAX_WAITING) continue;
			this.#known.add(keyOf(each));
			this.#waiting.push(each);
		}
		while (this.#lanes < LANES && this.#waiting.length > 0) this.#openLane(db);
	}

	#openLane(db: Db): void {
		this.#lanes++;
		const run = async () => {
			for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#one(db, next);
		};
		run().finally(() => {
			this.#lanes--;
		});
	}

	/** Never rejects. */
	async #one(db: Db, asking: Asking): Promise<void> {
		try {
			await askAndStore(this.#env, db, asking);
			await this.#wake();
		} catch (error) {
			logError('screening_not_stored', error, { orderId: asking.order.id });
		} finally {
			this.#known.delete(keyOf(asking));
		}
	}
}

/** Atomic: one batch stores the answer and makes the order be judged again. @throws what D1 throws */
export async function askAndStore(env: ScreeningVariables, db: Db, asking: Asking): Promise<void> {
	const { order, subject, attempts } = asking;
	const question: Question = { orderId: order.id, subject, attempt: attempts + 1 };
	const answered = await askScreening(env, question, Date.now());
	if (answered.verdict !== 'accept')
		log('screening_not_accepted', { orderId: order.id, subject: subject.kind, ...answered, attempt: question.attempt });
	await runBatch(
		db,
		answerStatements(db, { order, subject }, answered, { attempts: question.attempt, now: Date.now() }),
	);
}

const keyOf = ({ order, subject: { kind, txId, position, address } }: Asking): string =>
	JSON.stringify([order.id, kind, txId, position, address]);
