/**
 * The subjects of screening, and the meaning of the stored verdicts for an order (book: architecture, "Screening").
 * Everything that decides is here; asking and storing are in the neighbours. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { countedTogether } from '../../orders/dust.ts';
import type { Screened } from '../../orders/lifecycle.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { ScreeningRow, SubjectKind, Verdict } from './table.ts';

export interface Subject {
	readonly kind: SubjectKind;
	/** '' of an address, as in the table. */
	readonly txId: string;
	readonly position: string;
	readonly address: string;
	readonly network: NetworkName;
	readonly asset: AssetId;
	/** Base units; null of an address. */
	readonly amount: string | null;
}

/** The columns of a stored verdict that decide. */
export type Stored = Omit<ScreeningRow, 'orderId' | 'fromNetwork'>;

type Terms = Pick<OrderRow, 'toAddress' | 'toNetwork' | 'toAsset' | 'refundAddress' | 'fromNetwork' | 'fromAsset'>;
type Deposit = Pick<
	DepositRow,
	'txId' | 'position' | 'address' | 'network' | 'asset' | 'amount' | 'state' | 'payoutId' | 'dust' | 'setAside'
>;

const depositSubject = ({ txId, position, address, network, asset, amount }: Deposit): Subject => ({
	kind: 'deposit',
	txId,
	position,
	address,
	network,
	asset,
	amount,
});

const recipientOf = ({ toAddress, toNetwork, toAsset }: Terms): Subject => ({
	kind: 'recipient',
	txId: '',
	position: '',
	address: toAddress,
	network: toNetwork,
	asset: toAsset,
	amount: null,
});

export const refundAddressOf = ({ refundAddress, fromNetwork, fromAsset }: Terms): Subject => ({
	kind: 'refund',
	txId: '',
	position: '',
	address: refundAddress,
	network: fromNetwork,
	asset: fromAsset,
	amount: null,
});

const isFree = ({ state, payoutId }: Deposit): boolean => state === 'final' && payoutId === null;

/** Dust that is not accepted is in no payout, and stops none. */
export const isRefusedDust = (deposit: Deposit, rows: readonly Stored[]): boolean =>
	deposit.dust && (storedFor(depositSubject(deposit), rows)?.verdict ?? 'accept') !== 'accept';

/** The subjects that must be accepted before the order is settled: each final deposit that counts, and the recipient. */
export function subjectsOfPayout(order: Terms, deposits: readonly Deposit[], rows: readonly Stored[]): Subject[] {
	const free = deposits.filter((deposit) => isFree(deposit) && !deposit.setAside && !isRefusedDust(deposit, rows));
	const counted = countedTogether(free);
	return counted.length === 0 ? [] : [...counted.map(depositSubject), recipientOf(order)];
}

/** The subjects that must be judged before `deposits` go back: they, and the refund address. */
export const subjectsOfRefund = (order: Terms, deposits: readonly Deposit[]): Subject[] => [
	...deposits.filter(isFree).map(depositSubject),
	refundAddressOf(order),
];

/** The subjects of the operator's decision: all that is on record and not paid for, and the recipient. */
export const subjectsOfDecision = (order: Terms, deposits: readonly Deposit[]): Subject[] => [
	...deposits.filter(isFree).map(depositSubject),
	recipientOf(order),
];

export const storedFor = <S extends Pick<Stored, 'subject' | 'txId' | 'position' | 'address'>>(
	{ kind, txId, position, address }: Subject,
	rows: readonly S[],
): S | undefined =>
	rows.find((row) => row.subject === kind && row.txId === txId && row.position === position && row.address === address);

/**
 * The verdict about all subjects together. One hold holds; then an unanswered question waits; then one refund sends
 * everything back. With screening off nothing is waited for, but what was stored still counts.
 */
export function combined(subjects: readonly Subject[], rows: readonly Stored[], isOn: boolean): Screened {
	const verdicts = subjects.map((subject) => storedFor(subject, rows)?.verdict ?? (isOn ? 'unasked' : 'accept'));
	return (['hold', 'unasked', 'refund'] as const).find((each) => verdicts.includes(each)) ?? 'accept';
}

/** The questions that are due: never answered, or held and to be asked again. */
export const dueQuestions = (subjects: readonly Subject[], rows: readonly Stored[], now: number): Subject[] =>
	subjects.filter((subject) => {
		const row = storedFor(subject, rows);
		return row === undefined || (row.nextAskAt !== null && row.nextAskAt <= now);
	});

/** Questions that stop a refund: never answered, or held by the service and asked long enough ago. */
export const unansweredOf = (subjects: readonly Subject[], rows: readonly Stored[], now: number): Subject[] =>
	subjects.filter((subject) => {
		const row = storedFor(subject, rows);
		if (row === undefined) return true;
		const isHeld = row.verdict === 'hold' && row.decidedBy === 'service';
		return isHeld && row.at + retryMilliseconds(Math.max(1, row.attempts)) <= now;
	});

const FIRST_RETRY_MILLISECONDS = 30_000;
const LAST_RETRY_MILLISECONDS = HOUR_MILLISECONDS;

/** After the n-th answer that holds, doubling up to an hour. */
export const retryMilliseconds = (attempts: number): number =>
	Math.min(FIRST_RETRY_MILLISECONDS * 2 ** Math.min(attempts - 1, 10), LAST_RETRY_MILLISECONDS);

/** The answer about a subject, in a few words for the operator. */
export function saidText({ subject, verdict, note, decidedBy, txId, address, nextAskAt }: Stored): string {
	const what = { deposit: `deposit ${txId}`, recipient: `recipient ${address}`, refund: `refund address ${address}` };
	const who = decidedBy === 'operator' ? `the operator decided ${verdict} (${note})` : serviceText(verdict, note);
	const again = nextAskAt === null ? '' : `; it is asked again at ${new Date(nextAskAt).toISOString()}`;
	return `${what[subject]}: ${who}${again}`;
}

const serviceText = (verdict: Verdict, note: string | null): string =>
	note === null
		? `the screening service answered ${verdict}`
		: verdict === 'hold'
			? `the screening service gave no usable answer: ${note}`
			: `${verdict}: ${note}`;

/** Why the deposits may not go back now; null where they may. */
export function refundProblem(subjects: readonly Subject[], rows: readonly Stored[], isOn: boolean): string | null {
	for (const subject of subjects) {
		const row = storedFor(subject, rows);
		if (row?.verdict === 'hold' || (row === undefined && isOn))
			return row === undefined ? 'screening has not answered yet; run it again' : saidText(row);
	}
	return null;
}
