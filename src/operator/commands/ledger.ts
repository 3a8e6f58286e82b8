/**
 * `ledger check`: every order's entries sum to zero per asset, the kept balances are what the entries say, and the wallets
 * hold what the books say. The chains change during the comparison: a deposit is on chain a moment before it is on
 * record. So an asset that agrees once is right, and only an asset that differs in every comparison is reported. A
 * difference that the transactions under way can explain is `moving`: their coins and fees may be missing or counted twice
 * (`under-way.ts`). What they cannot explain differs. Transactions lower the books, so the signer is asked whether it
 * has signed them.
 */
import { logError } from '../../platform/log.ts';
import { pick } from '../../platform/pick.ts';
import { DAY_MILLISECONDS, isoTime, isoTimeOrNull } from '../../platform/time.ts';
import { type Books, proveBooks } from '../../treasury/ledger/check.ts';
import { askAboutSent, type FalseRow, type SentRows } from '../../treasury/ledger/sent-rows.ts';
import { falseClaimText } from '../../treasury/sent-claim.ts';
import { blockedText } from '../../treasury/transactions/wait-reason.ts';
import { transactionsThatWait } from '../attention/transactions.ts';
import type { Context, RunOf, RunsOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import type { ledger as topic } from '../topics/ledger.ts';
import { adjust } from './adjust.ts';
import { checkWallets, coins, type WalletCheck } from './compare-wallets.ts';

type CheckInput = Parameters<RunOf<typeof topic, 'check'>>[1];

/** Most orders, and most other faults, that one check names. */
const SHOWN = 100;

export async function checkLedger(context: Context, { full, from }: CheckInput) {
	const { db, env, now } = context;
	const fullFrom = full || from !== undefined ? (from ?? 0) : null;
	const books = await proveBooks(db, env.askedKeys(), { now, fullFrom });
	const sent = await sentRows(context, books);
	const wallets = await checkWallets(context);
	const waiting = await transactionsThatWait(context, await currentSettings(context));
	const counted = (wanted: WalletCheck['result']) => wallets.filter(({ result }) => result === wanted).length;
	const kept = faultsOf(books);
	return {
		differences: books.unbalanced.length + kept.length + (sent?.wrong.length ?? 0) + counted('differs'),
		moving: counted('moving'),
		unchecked: counted('unchecked'),
		unasked: sent && !sent.isCut ? 0 : 1,
		unproven: books.waiting + (books.next === null ? 0 : 1),
		...pick(books, 'orders', 'entries', 'pieces', 'proven'),
		oldestProof: isoTimeOrNull(books.oldest || null),
		asked: sent?.asked ?? 0,
		older: sent?.older ?? 0,
		next: nextStep(books),
		unbalanced: books.unbalanced
			.slice(0, SHOWN)
			.map(({ order, asset, sum }) => ({ order, asset, sum: coins(asset, sum) })),
		kept: kept.slice(0, SHOWN),
		unsigned: (sent?.wrong ?? []).slice(0, SHOWN).map(({ id, why }) => ({ transaction: id, what: falseText(why) })),
		wallets,
		attention: waiting.map(({ transaction, cause, since }) => ({
			...transactionLine(transaction),
			held: blockedText(transaction),
			since: isoTime(since),
			cause,
		})),
		balances: books.balances.map(({ account, asset, amount }) => ({ account, asset, amount: coins(asset, amount) })),
	};
}

/** Null where the signer could not be asked now. */
async function sentRows({ db, env, now }: Context, { slices }: Books): Promise<SentRows | null> {
	try {
		return await askAboutSent({ db, now, ask: (claims) => env.SIGNER.answerClaims(claims) }, slices);
	} catch (error) {
		logError('transactions_not_asked', error);
		return null;
	}
}

const falseText = (why: FalseRow['why']): string =>
	why === 'fee-too-high' ? 'its fee is more than the signer lets a transaction cost' : falseClaimText(why);

function nextStep({ waiting, next }: Books): string {
	if (next !== null) return `run ledger check --from ${next}: the rest of the pieces`;
	return waiting > 0 ? `run it again, or with --full: ${waiting} pieces have new entries` : 'nothing to do';
}

/** Faults of the kept balances and the proofs, other than an order that does not balance. */
function faultsOf({ differing, brokenSeals, flows, withoutPiece, wronglyPaid }: Books) {
	const nothing = { asset: null, kept: null, found: null };
	return [
		...differing.map(({ piece, account, asset, kept, found }) => ({
			where: piece === null ? 'totals' : `piece ${piece}`,
			what: account,
			asset,
			kept: coins(asset, kept),
			found: coins(asset, found),
		})),
		...brokenSeals.map((piece) => ({ where: `piece ${piece}`, what: 'its seal does not match', ...nothing })),
		...flows.map(({ network, day }) => ({
			where: `${network}, ${isoTime(day * DAY_MILLISECONDS).slice(0, 10)}`,
			what: 'final transactions are not what was kept',
			...nothing,
		})),
		...withoutPiece.map((order) => ({ where: `order ${order}`, what: 'its entries are in no piece', ...nothing })),
		...wronglyPaid.map((order) => ({
			where: `order ${order}`,
			what: 'its earnings are listed as unpaid and were paid, or neither',
			...nothing,
		})),
	];
}

export const ledgerRuns: RunsOf<typeof topic> = { check: checkLedger, adjust };
