/**
 * Changes what is set for a partner: for the operator's command, and for the partner's own changes in the cabinet
 * (`own.ts`). Which of the two it was, the audit line says.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type Fields, looserFields, ruledFields } from '../../decisions/rules.ts';
import { incidentIf } from '../../incidents/store.ts';
import { type ChangeEntry, changePartner, type PartnerColumns, tellGate } from '../../partners/changes.ts';
import type { OrderPageSettings } from '../../partners/order-page.ts';
import { findPartner } from '../../partners/store.ts';
import type { PartnerRow } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { payoutUsableAt } from '../../treasury/earnings/conversion.ts';
import { payoutAddressChangedEvent } from '../../webhooks/events/payout-address-changed.ts';
import { type NewWebhookEventRow, webhookEvents } from '../../webhooks/table.ts';
import { type Context, type Failure, fail, isFailure } from '../command.ts';
import { told } from '../settings/changes.ts';
import { NOTHING_TO_CHANGE } from '../topic.ts';
import { scheduleColumns } from './auto-payouts.ts';
import { setFirstEndpoint } from './first-endpoint.ts';
import { columnsIn, type PageUpdate, pageColumns, wantedPage } from './order-page.ts';
import { payoutColumns } from './payout-address.ts';
import { pageProblem, payoutProblem, webhookProblem } from './problems.ts';
import { partnerRecord } from './record.ts';

export const noSuchPartner = (id: string): Failure => fail(404, `there is no partner ${id}`);

/**
 * The second of two changes at once is refused rather than mixed with the first. `warned`: what the operator is told in
 * the same batch, so that they learn of it wherever the rest of the change breaks off.
 */
export async function changeStored(
	context: Context,
	before: PartnerRow,
	{
		columns,
		entry,
		warned = null,
	}: {
		readonly columns: PartnerColumns;
		readonly entry: ChangeEntry;
		readonly warned?: Parameters<typeof incidentIf>[1] | null;
	},
) {
	const { db, now } = context;
	const announced = payoutChangedEvent(before, columns, now);
	const after = await changePartner(context, before, {
		columns,
		entry,
		also: (isUnchanged) => [
			...(announced ? [announce(db, announced, isUnchanged)] : []),
			...(warned ? [incidentIf(db, warned, now, isUnchanged)] : []),
		],
	});
	if (after && announced) await wakeWebhooks(context.env.WEBHOOKS, [announced.id]);
	return after ?? fail(409, `partner ${before.id} was changed by somebody else meanwhile; run the command again`);
}

/** Null where the change is not about where earnings are paid. */
function payoutChangedEvent(before: PartnerRow, columns: PartnerColumns, now: number): NewWebhookEventRow | null {
	const { payoutAsset: asset, payoutAddress: address } = { ...before, ...columns };
	const isChanged = columns.payoutAsset !== undefined || columns.payoutAddress !== undefined;
	if (!isChanged) return null;
	const previous = { previousAsset: before.payoutAsset, previousAddress: before.payoutAddress };
	const head = { id: crypto.randomUUID(), partnerId: before.id, now };
	return payoutAddressChangedEvent({ ...head, asset, address, ...previous, usableAt: payoutUsableAt(now) });
}

const announce = (db: Db, { id, partnerId, type, body, createdAt }: NewWebhookEventRow, when: SQL) =>
	db
		.insert(webhookEvents)
		.select(
			sql`select ${id}, ${partnerId}, null, null, ${type}, ${body}, 'due', 0, ${createdAt}, ${createdAt}, '', '' where ${when}`,
		);

/** An address that is only sealed again waits from now on too. */
function payoutWarning(before: PartnerRow, columns: PartnerColumns): Parameters<typeof incidentIf>[1] | null {
	if (columns.payoutAddressChangedAt === undefined) return null;
	const { id, payoutAsset, payoutAddress } = { ...before, ...columns };
	return { kind: 'payout-address-changed', subject: id, detail: `${payoutAsset ?? ''} ${payoutAddress ?? ''}`.trim() };
}

export const NOT_DECIDED = 'nothing was changed: the rate book, which remembers what you decide, does not answer';

/** The rate book remembers what a person has decided about the partner. False where it was not told. */
export const decide = async (context: Context, name: string, fields: Fields): Promise<boolean> =>
	Object.keys(fields).length === 0 || told(context, (book) => book.decide({ table: 'partner', name, fields }));

function isLooser(before: PartnerRow, named: Fields): boolean {
	const fields = ruledFields('partner', before);
	return Object.keys(looserFields({ table: 'partner', name: before.id, fields }, { ...fields, ...named })).length > 0;
}

/** `command`: for the audit line. `warns`: the operator is told where earnings are now paid to, where that changes. */
export async function applyUpdate(
	context: Context,
	update: PageUpdate,
	command: string,
	{ warns = false }: { readonly warns?: boolean } = {},
) {
	const before = await findPartner(context.db, update.id);
	if (!before) return noSuchPartner(update.id);
	const orderPage = await wantedPage(context, before, update);
	const problem = await updateProblem(context, before, update, orderPage);
	if (problem) return fail(400, problem);
	const { id, events, webhookUrl, ...fields } = columnsIn(update);
	const ofPage = await pageColumns(context, before, orderPage);
	const columns = differences(before, { ...fields, ...ofPage });
	const payout = await payoutColumns(context, before, update, columns);
	if (isFailure(payout)) return payout;
	const endpoint = await setFirstEndpoint(context, id, { webhookUrl, events }, command);
	if (isFailure(endpoint)) return endpoint;
	Object.assign(columns, payout);
	Object.assign(columns, scheduleColumns(columns.autoPayout, context.now));
	const entry = { command, changes: changesOf(before, columns) };
	const named = ruledFields('partner', columnsIn(update));
	if (isLooser(before, named) && !(await decide(context, id, named))) return fail(503, NOT_DECIDED);
	const after =
		Object.keys(columns).length > 0
			? await changeStored(context, before, { columns, entry, warned: warns ? payoutWarning(before, columns) : null })
			: before;
	const held = ruledFields('partner', isFailure(after) ? before : after);
	const decided = Object.fromEntries(Object.keys(named).map((name) => [name, held[name] ?? null]));
	const isDecided = await decide(context, id, decided);
	if (isFailure(after)) return after;
	// Also where nothing differs: running the command again notifies a gate that missed a change.
	if ((await tellGate(context.env, id)) && isDecided) return partnerRecord(after, endpoint);
	return fail(
		503,
		`the change to partner ${id} is stored, but does not apply at once everywhere; run the command again`,
	);
}

async function updateProblem(
	{ env }: Context,
	before: PartnerRow,
	update: PageUpdate,
	orderPage: OrderPageSettings | undefined,
): Promise<string | null> {
	const { id: _, ...fields } = update;
	if (Object.keys(fields).length === 0) return NOTHING_TO_CHANGE;
	const payout = update.payoutAsset !== undefined || update.payoutAddress !== undefined;
	const isPaid = (update.payoutAddress ?? before.payoutAddress) !== null;
	if (update.autoPayout !== undefined && update.autoPayout !== 'none' && !isPaid)
		return 'automatic payouts need a payout address; give one with --payout-asset --payout-address';
	return (
		webhookProblem(env, update.webhookUrl) ??
		pageProblem(env, orderPage) ??
		(payout
			? await payoutProblem(env, update.payoutAsset ?? before.payoutAsset, update.payoutAddress ?? before.payoutAddress)
			: null)
	);
}

/** The columns that differ: only those are written. A field that is undefined stays as it is. */
function differences(before: PartnerRow, wanted: { readonly [name: string]: unknown }): PartnerColumns {
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(
		Object.entries(wanted).filter(
			([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(known[name]),
		),
	) as PartnerColumns;
}

/** Columns that follow from the rest: the seals, and the time of the next automatic payout. */
const FOLLOWING = new Set(['payoutSeal', 'orderPageSeal', 'autoPayoutAt', 'autoPayoutWaits', 'autoPayoutWaitsSince']);

/** `{ field: { from, to } }`, for the log. */
function changesOf(before: PartnerRow, columns: PartnerColumns) {
	const chosen = Object.entries(columns).filter(([name]) => !FOLLOWING.has(name));
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(chosen.map(([name, to]) => [name, { from: known[name], to }]));
}
