/**
 * Rows of transactions that say that the signer has signed them, which it is asked: each lowers what the wallets should
 * hold, and who writes D1 writes them too. A run asks about those that are open or became final in the last two days, and
 * about all in the slices whose pieces it proves, so a round over all pieces asks about all.
 */
import { and, desc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { pick } from '../../platform/pick.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type ClaimAnswer, type FalseClaim, MOST_CLAIMS, type SentClaim } from '../sent-claim.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { idsOfSlice, type Slice } from './slices.ts';
import { highestFee } from './under-way.ts';

const RECENT_MILLISECONDS = 2 * DAY_MILLISECONDS;
/** Rows of one network that count as recent, the newest: what is beyond has its turn in the slices. */
const MOST_RECENT = 500;
/** The most slices of one run: an invocation has a thousand queries. */
const MOST_PAGES = 150;

export interface FalseRow {
	readonly id: string;
	readonly why: FalseClaim | 'fee-too-high';
}

export interface SentRows {
	readonly asked: number;
	/** The journal was lost or restored after they were signed: nobody can say. */
	readonly older: number;
	/** Were there more than one run may ask about? */
	readonly isCut: boolean;
	readonly wrong: readonly FalseRow[];
}

type Ask = (claims: readonly SentClaim[]) => Promise<ClaimAnswer[]>;

interface Asking {
	readonly db: Db;
	readonly ask: Ask;
	readonly now: number;
}

/** @throws what the signer throws */
export async function askAboutSent(asking: Asking, slices: readonly Slice[]): Promise<SentRows> {
	const known = new Map<string, ClaimAnswer | 'fee-too-high'>();
	const note = async (rows: readonly Row[]) => {
		for (const [id, answer] of await judge(
			asking.ask,
			rows.filter(({ id }) => !known.has(id)),
		))
			known.set(id, answer);
	};
	const recent = await recentRows(asking);
	for (let i = 0; i < recent.length; i += MOST_CLAIMS) await note(recent.slice(i, i + MOST_CLAIMS));
	let pages = 0;
	for (const slice of slices) {
		let after: string | null = '';
		while (after !== null && pages++ < MOST_PAGES) {
			const page: readonly Row[] = await pageOf(asking.db, slice, after);
			await note(page);
			after = page.length < MOST_CLAIMS ? null : (page.at(-1)?.id ?? null);
		}
	}
	const answers = [...known];
	return {
		asked: answers.length,
		older: answers.filter(([, answer]) => answer === 'older').length,
		isCut: pages > MOST_PAGES,
		wrong: answers.flatMap(([id, why]) => (why === null || why === 'older' ? [] : [{ id, why }])),
	};
}

const SIGNED = ['id', 'kind', 'network', 'asset', 'amount', 'txId', 'signedAt'] as const;
const COLUMNS = pick(transactions, ...SIGNED, 'fee', 'settledTxId');
/** `settledTxId`: a person has ended it, and the audit log says who: its coins count as still there. */
type Row = SentClaim & Pick<TransactionRow, 'fee' | 'settledTxId'>;

const isSigned = sql`${transactions.state} in ('signed', 'sent', 'final')`;

async function recentRows({ db, now }: Asking): Promise<Row[]> {
	const rows = (index: string, network: NetworkName, which: SQL, newest: SQL | typeof transactions.finalAt) =>
		db
			.select(fromIndex(COLUMNS))
			.from(byIndex(transactions, index))
			.where(and(eq(transactions.network, network), which, isSigned))
			.orderBy(desc(newest))
			.limit(MOST_RECENT);
	const [first, ...others] = NETWORK_NAMES.flatMap((network) => [
		rows('transactions_open', network, sql`${transactions.state} <> 'final'`, sql`${transactions.nextAttemptAt}`),
		rows(
			'transactions_final',
			network,
			sql`${transactions.finalAt} is not null and ${gte(transactions.finalAt, now - RECENT_MILLISECONDS)}`,
			transactions.finalAt,
		),
	]);
	return first ? (await db.batch([first, ...others])).flat() : [];
}

async function pageOf(db: Db, slice: Slice, after: string): Promise<Row[]> {
	const isNext = and(idsOfSlice(transactions.id, slice), gt(transactions.id, after), isSigned);
	return db.select(COLUMNS).from(transactions).where(isNext).orderBy(transactions.id).limit(MOST_CLAIMS);
}

async function judge(ask: Ask, rows: readonly Row[]): Promise<[string, ClaimAnswer | 'fee-too-high'][]> {
	const claims = rows.filter(({ settledTxId }) => settledTxId === null);
	const answers = claims.length > 0 ? await ask(claims) : [];
	const answerOf = new Map(claims.map(({ id }, i) => [id, answers[i] ?? null]));
	return rows.map((row) => [row.id, answerOf.get(row.id) ?? (isFeeTooHigh(row) ? 'fee-too-high' : null)]);
}

/** A transaction's fee lowers the books too, and the signer knows only what it may cost. */
function isFeeTooHigh({ fee, network }: Row): boolean {
	if (fee === null) return false;
	return !/^-?\d{1,36}$/.test(fee) || BigInt(fee) > highestFee(network);
}
