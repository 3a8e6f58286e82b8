/** `restored show` and `restored confirm`: what a restore leaves to a person. */
import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { whereToLook } from '../../chains/explorer.ts';
import type { OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import type { OlderOrder, OlderPayment } from '../../ports/copy.ts';
import { restoredMove } from '../../treasury/moves.ts';
import { elseLooked, paidCommand } from '../../treasury/refusal-texts.ts';
import { refusalText, type SignerRefusal } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { wakeAgent } from '../asking.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { type DoubtedOrder, doubtedOrders, stoppedIds } from '../orders/doubted.ts';
import { coins } from '../orders/record.ts';
import { type Whose, whosePayments } from '../orders/whose-payment.ts';
import { unconfirmed } from '../persons.ts';
import type { restored as topic } from '../topics/restored.ts';
import { checkWallets } from './compare-wallets.ts';
import { forgotten } from './forgotten.ts';
import { paid } from './restored-paid.ts';

/** Orders that the signer looks for in one call. */
const PER_CALL = 50;
const NOT_RESTORED = 'nothing waits: this signer was not restored from a backup, and has not lost its journal';

const show: RunOf<typeof topic, 'show'> = async (context) => {
	const state = await context.env.SIGNER.restored();
	if (!state) return { backupAt: null, restoredAt: null, ownConfirmedAt: null, more: 0, waiting: [], wallets: [] };
	const [{ orders, own, more }, wallets] = await Promise.all([doubtedOrders(context), checkWallets(context)]);
	const looked: OlderOrder[] = [];
	for (let start = 0; start < orders.length; start += PER_CALL) {
		const ids = orders.slice(start, start + PER_CALL).map(({ order }) => order.id);
		looked.push(...(await context.env.SIGNER.lookFor(ids)));
	}
	const found = new Map(looked.map((each) => [each.orderId, each]));
	const whose = whosePayments(orders, looked);
	return {
		...isoTimesOf(state, 'backupAt', 'restoredAt'),
		ownConfirmedAt: isoTimeOrNull(state.confirmedAt),
		more,
		waiting: [
			...orders.map((each) => orderRecord(each, found.get(each.order.id), whose.get(each.order.id))),
			...own.map(ownRecord),
		],
		wallets: wallets.filter(({ result }) => result !== 'ok'),
	};
};

/** The planned or stopped transaction of the order; else its payout, which it may have got. */
const termsOf = (order: OrderRow, row: TransactionRow | null) =>
	row
		? { ...pick(row, 'kind', 'network', 'asset'), amount: coins(row.asset, row.amount), to: row.toAddress }
		: { kind: null, network: order.toNetwork, asset: order.toAsset, amount: null, to: order.toAddress };

function orderRecord(each: DoubtedOrder, looked: OlderOrder | undefined, whose: Whose | undefined) {
	const { order, row } = each;
	const record = { order: order.id, transaction: row?.id ?? null, ...termsOf(order, row) };
	const confirm = `restored confirm ${order.id}`;
	const { own = null, others = [], strange = [] } = whose ?? {};
	if (own) return { ...record, onChain: own.txId, do: paidCommand({ book: bookOf(each, own) }, own.txId) };
	if (others.length > 0) return { ...record, onChain: idsOf(others), do: FIRST_OTHERS };
	if (strange.length > 0)
		return { ...record, onChain: idsOf(strange), do: strange.map((payment) => strangeText(each, payment)).join('; ') };
	const [unread] = looked?.unread ?? [];
	if (!unread) return { ...record, onChain: 'nothing', do: confirm };
	const onChain = whereToLook(unread.network, unread.address);
	const ifSent = `\`${paidCommand({ book: row?.id ?? order.id }, 'T')}\` if it was sent`;
	return { ...record, onChain, do: `${ifSent}, ${elseLooked(confirm)}` };
}

const bookOf = ({ order, row }: DoubtedOrder, { kind }: OlderPayment): string =>
	row?.kind === kind ? row.id : order.id;

/** Either command costs somebody the money where it is the wrong one, so neither can be run as it is printed. */
function strangeText(each: DoubtedOrder, payment: OlderPayment): string {
	const { kind, asset, amount, txId } = payment;
	const whom = kind === 'payout' ? 'recipient' : 'refund address';
	return (
		`a person must find out whose payment ${txId} was: it paid the ${whom} of this order ${coins(asset, amount)} ${asset}, ` +
		`which is not what this order would get; with T for it, \`${paidCommand({ book: bookOf(each, payment) }, 'T')}\` ` +
		`if it was this order’s, \`restored confirm ${each.order.id} --not T\` if it was another payment`
	);
}

/** They share an address: once the others are booked, this order's turn comes. */
const FIRST_OTHERS = 'book the others that have it first, then `restored show` again';

const idsOf = (payments: readonly OlderPayment[]): string => payments.map(({ txId }) => txId).join(',');

const ownRecord = ({ id, kind, network, asset, amount, toAddress }: TransactionRow) => ({
	order: null,
	transaction: id,
	kind,
	network,
	asset,
	amount: coins(asset, amount),
	to: toAddress,
	onChain: whereToLook(network, toAddress),
	do: 'restored confirm --own',
});

const confirm: RunOf<typeof topic, 'confirm'> = async (context, input) => {
	const { orders, own, looked, not } = input;
	const { env, db, now } = context;
	if (!(await env.SIGNER.restored())) return fail(409, NOT_RESTORED);
	const slices = Array.from({ length: Math.ceil(orders.length / PER_CALL) }, (_, i) =>
		orders.slice(i * PER_CALL, (i + 1) * PER_CALL),
	);
	const unasked = await unconfirmed(context, [
		...(own ? [restoredMove({ orders: [], own, looked, not })] : []),
		...slices.map((slice) => restoredMove({ orders: slice, own: false, looked, not })),
	]);
	if (unasked) return unasked;
	await runBatch(db, [
		writeAudit(context, { command: 'restored confirm', subject: null, changes: { orders, own, looked, not } }),
	]);
	if (own) {
		const problem = await env.SIGNER.confirmOwn({ looked, not });
		if (problem) return fail(409, `${problem}; nothing was confirmed`);
	}
	const refusals: (SignerRefusal | null)[] = [];
	for (const slice of slices) refusals.push(...(await env.SIGNER.confirmOrders(slice, { looked, not })));
	const confirmed = orders.filter((_, i) => !refusals[i]);
	const rows = await stoppedRows(context, confirmed, own);
	const due = rows.map(({ id }) => db.update(transactions).set({ nextAttemptAt: now }).where(eq(transactions.id, id)));
	await runBatch(db, due);
	await Promise.all([...new Set(rows.map(({ network }) => network))].map((name) => wakeAgent(context, name)));
	const refused = orders.flatMap((id, i) => (refusals[i] ? [`order ${id}: ${refusalText(refusals[i])}`] : []));
	const others = confirmed.length > 0 ? `; the others were confirmed: ${confirmed.join(' ')}` : '';
	if (refused.length > 0) return fail(409, `not confirmed: ${refused.join('; ')}${others}`);
	const left = await doubtedOrders(context);
	return { confirmed: rows.map(({ id }) => id), left: left.orders.length + left.own.length + left.more };
};

function stoppedRows({ db }: Context, orderIds: readonly string[], own: boolean): Promise<TransactionRow[]> {
	const isWanted = sql`${transactions.id} in (${stoppedIds}) and (
				${transactions.orderId} in ${inJson(orderIds)}
				or (${own ? 1 : 0} and (${transactions.orderId} is null or ${transactions.kind} = 'stray')))`;
	return db.select().from(transactions).where(isWanted);
}

export const restoredRuns: RunsOf<typeof topic> = { show, forgotten, confirm, paid };
