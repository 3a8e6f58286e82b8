/** Payments that our keys have signed, found by whom they pay: for a payment that may be sent and is not on record. */
import { hex } from '@scure/base';
import { DAY_SECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Overtaker } from '../port.ts';
import type { SentPayment } from '../sent-payment.ts';
import { scriptOf } from './address.ts';
import type { Unconfirmed } from './book/pool.ts';
import { coinsAt, largestCoins, type Send, sendAt, sendsFrom } from './book/reads.ts';
import { depthAt, IN_POOL, keyOf } from './depth.ts';
import type { Source } from './source.ts';
import { readTransaction, type Transaction } from './transaction-bytes.ts';
import { formOf, type Watching } from './watching.ts';

/** Longer than a backup is useful, and no longer than the book keeps what we sent. */
const LONGEST_SECONDS = 30 * DAY_SECONDS;
/** Blocks may come faster than they should. */
const SPARE_BLOCKS = 200;
/** Coins that are asked about, the largest first. */
const MOST_COINS = 4_000;

export interface PaymentTerms {
	readonly to: string;
	/** Base units. */
	readonly amount: bigint;
}

type Paid = Pick<Send, 'txId' | 'outputs'>;

const paidBy = ({ id, outputs }: Pick<Transaction, 'id' | 'outputs'>): Paid => ({
	txId: id,
	outputs: outputs.map(({ script, amount }) => ({ script: hex.encode(script), amount })),
});

/** Is this transaction, in the best chain or the mempool, that payment of ours? @throws ChainUnavailable */
export async function hasPaid(watching: Watching, txId: string, { to, amount }: PaymentTerms): Promise<boolean> {
	const { keeper, book, params } = watching;
	await keeper.current();
	const paid = sendAt(book, txId) ?? (await ownInPool(watching, txId));
	const wanted = scriptOf(to, params);
	const script = wanted && hex.encode(wanted);
	return paid?.outputs.some((output) => output.script === script && output.amount === amount) ?? false;
}

async function ownInPool({ sources, book }: Watching, txId: string): Promise<Paid | null> {
	return sources.use(async (source) => {
		const [pooled] = await source.pooled([txId]);
		const transaction = pooled ? await source.transaction(txId, null) : null;
		if (!transaction) return null;
		const own = book.ownIn([transaction]);
		const isOwn = transaction.spends.some(({ lock }) => lock && own.has(book.hashOf(lock)));
		return isOwn ? paidBy(transaction) : null;
	});
}

/**
 * Transactions in the best chain or the mempool. `since`: Unix milliseconds.
 * @throws ChainUnavailable also where the book does not reach back so far, or something unknown in the mempool spends our
 * coins: a payment must not look unsent
 */
export async function paymentsTo(watching: Watching, to: readonly string[], since: number): Promise<SentPayment[]> {
	const { network, keeper, sources, book, params } = watching;
	const last = await keeper.current();
	const seconds = Math.min(LONGEST_SECONDS, Math.max(0, Date.now() - since) / 1000);
	const from = Math.max(0, last.height - Math.ceil(seconds / network.blockSeconds) - SPARE_BLOCKS);
	requireReadFrom(watching, since, from);
	const pooled = await sources.use((source) => inPool(watching, source, last.height));
	const asked = Map.groupBy(to, (address) => {
		const script = scriptOf(address, params);
		return script && hex.encode(script);
	});
	return [...sendsFrom(book, from), ...pooled].flatMap(({ txId, outputs }) =>
		outputs.flatMap(({ script, amount }) => (asked.get(script) ?? []).map((wanted) => ({ txId, to: wanted, amount }))),
	);
}

/** A book that began later does not have what was sent before; nothing was sent before the first address was made. */
function requireReadFrom({ book }: Watching, since: number, from: number): void {
	const start = book.start();
	if (start?.isAgain && start.height > from)
		throw new ChainUnavailable(
			`blocks before ${start.height} are not in the coin book, and a payment since ${new Date(since).toISOString()} may be in one of them`,
		);
}

/** Our own in the mempool. @throws ChainUnavailable where something else there spends a coin of ours */
async function inPool({ book, pool }: Watching, source: Source, height: number): Promise<Paid[]> {
	const own = (await pool.look(source, [])).found.filter(({ isOwn }) => isOwn);
	const coins = largestCoins(book, { upTo: height, count: MOST_COINS });
	const unspent = await source.outputs(coins, 'with pool');
	const spent = new Set(own.flatMap(({ spends }) => spends.map(keyOf)));
	const taken = coins.filter((coin, at) => !unspent[at] && !spent.has(keyOf(coin)));
	const inChain = await source.outputs(taken, 'without pool');
	const unknown = taken.find((_, at) => inChain[at]);
	if (unknown)
		throw new ChainUnavailable(
			`a transaction in the mempool spends ${keyOf(unknown)} of ours, and the node does not show it: wait for its block`,
		);
	return Promise.all(own.map((each) => paidInPool(source, each)));
}

async function paidInPool(source: Source, { txId }: Unconfirmed): Promise<Paid> {
	const transaction = await source.transaction(txId, null);
	if (!transaction) throw new ChainUnavailable(`the node does not show transaction ${txId} of ours`);
	return paidBy(transaction);
}

/**
 * As `Chain.overtaker`. Looked for among payments to the same recipient alone: what else took the coins, only a person
 * finds out. @throws ChainUnavailable
 */
export async function overtaker(watching: Watching, raw: string, guess: string | null): Promise<Overtaker | null> {
	const { keeper, sources, book, locks, params, pool } = watching;
	const { spends, outputs } = readTransaction(hex.decode(raw), formOf(params));
	// The payment is the first output, and the change the second.
	const recipient = outputs[0] && hex.encode(outputs[0].script);
	const last = await keeper.current();
	const spenders = [...new Set(coinsAt(book, spends).flatMap(({ spentBy }) => spentBy ?? []))];
	const sends = spenders.flatMap((txId) => sendAt(book, txId) ?? []);
	const isTheSame = (send: Send) => send.txId === guess || send.outputs.some(({ script }) => script === recipient);
	const send = sends.find(({ txId }) => txId === guess) ?? sends.find(isTheSame);
	if (send) return { txId: send.txId, ...depthAt({ ...send, matures: 0 }, last, await locks.upTo([send.height])) };
	const spent = new Set(spends.map(({ txId, vout }) => keyOf({ txId, vout })));
	const own = await sources.use((source) => pool.own(source));
	const pooled = own.find((each) => each.spends.some(({ txId, vout }) => spent.has(keyOf({ txId, vout }))));
	return pooled ? { txId: pooled.txId, ...IN_POOL } : null;
}
