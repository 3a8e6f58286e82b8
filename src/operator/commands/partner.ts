/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import { desc } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { newApiKey } from '../../partners/api-key.ts';
import { type ChangeEntry, changePartner, type PartnerColumns, tellGate } from '../../partners/changes.ts';
import { newSecret, SEALED_COLUMNS } from '../../partners/secrets.ts';
import { findPartner } from '../../partners/store.ts';
import { type PartnerRow, partners } from '../../partners/table.ts';
import { type Context, type Failure, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { NOTHING_TO_CHANGE } from '../input.ts';
import { scheduleColumns } from '../partners/auto-payouts.ts';
import { changesOf, differences } from '../partners/changes.ts';
import { codeCounters } from '../partners/code-counters.ts';
import { splitOrderPage } from '../partners/order-page.ts';
import { payoutColumns } from '../partners/payout-address.ts';
import { pageProblem, payoutProblem, webhookProblem } from '../partners/problems.ts';
import { partnerCounters, partnerRecord } from '../partners/record.ts';
import type { PartnerUpdate, partner as topic } from '../topics/partner.ts';

/** Far more partners than one deployment is for. */
const LIST_LIMIT = 1000;

const noSuchPartner = (id: string): Failure => fail(404, `there is no partner ${id}`);

/** Of two changes at once the second is refused rather than mixed with the first. */
async function change(context: Context, before: PartnerRow, columns: PartnerColumns, entry: ChangeEntry) {
	const after = await changePartner(context, before, columns, entry);
	return after ?? fail(409, `partner ${before.id} was changed by somebody else meanwhile; run the command again`);
}

/** The gate is not notified: it loads a partner on their first call. */
const createPartner: RunOf<typeof topic, 'create'> = async (context, { events, ...fields }) => {
	const { env, db, now } = context;
	const problem = webhookProblem(env, fields.webhookUrl);
	if (problem) return fail(400, problem);
	const { id, apiKey } = await newApiKey(keyRing(env, 'API_KEY_KEY'));
	const secretsKeys = keyRing(env, 'SECRETS_KEY');
	const apiSecret = await newSecret(secretsKeys, id, 'apiSecret');
	const webhookSecret = await newSecret(secretsKeys, id, 'webhookSecret');
	const row = {
		...fields,
		id,
		apiKey,
		apiSecretSealed: apiSecret.sealed,
		webhookSecretSealed: webhookSecret.sealed,
		webhookEvents: events,
		createdAt: now,
		updatedAt: now,
	};
	const [inserted] = await db.batch([
		db.insert(partners).values(row).returning(),
		writeAudit(db, { at: now, command: 'partner create', subject: id, changes: { ...fields, events } }),
	]);
	const [partner] = inserted;
	if (!partner) throw new Error('the partner was not inserted');
	return { ...partnerRecord(partner), apiSecret: apiSecret.secret, webhookSecret: webhookSecret.secret };
};

const listPartners: RunOf<typeof topic, 'list'> = async ({ db }) => {
	const rows = await db.select().from(partners).orderBy(desc(partners.createdAt), partners.id).limit(LIST_LIMIT);
	return rows.map(partnerRecord);
};

const showPartner: RunOf<typeof topic, 'show'> = async ({ db }, { id }) => {
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	const referenceCodes = await codeCounters(db, id);
	return { ...partnerRecord(partner), ...partnerCounters(partner), referenceCodes };
};

const updatePartner: RunOf<typeof topic, 'update'> = async (context, update) => {
	const before = await findPartner(context.db, update.id);
	if (!before) return noSuchPartner(update.id);
	const problem = updateProblem(context, before, update);
	if (problem) return fail(400, problem);
	const { orderPage, rest } = splitOrderPage(before, update);
	const { id, events, ...fields } = rest;
	const columns = differences(before, { ...fields, webhookEvents: events, orderPage });
	Object.assign(columns, await payoutColumns(context, before, update, columns));
	Object.assign(columns, scheduleColumns(columns.autoPayout, context.now));
	const after =
		Object.keys(columns).length > 0
			? await change(context, before, columns, {
					command: 'partner update',
					changes: changesOf(before, columns),
				})
			: before;
	if (isFailure(after)) return after;
	// Also where nothing differs: running the command again notifies a gate that missed a change.
	if (await tellGate(context.env, id)) return partnerRecord(after);
	return fail(
		503,
		`the change to partner ${id} is stored, but does not apply at once everywhere; run the command again`,
	);
};

function updateProblem({ env }: Context, before: PartnerRow, update: PartnerUpdate): string | null {
	const { id: _, ...fields } = update;
	if (Object.keys(fields).length === 0) return NOTHING_TO_CHANGE;
	const payout = update.payoutAsset !== undefined || update.payoutAddress !== undefined;
	const isPaid = (update.payoutAddress ?? before.payoutAddress) !== null;
	if (update.autoPayout !== undefined && update.autoPayout !== 'none' && !isPaid)
		return 'automatic payouts need a payout address; give one with --payout-asset --payout-address';
	return (
		webhookProblem(env, update.webhookUrl) ??
		pageProblem(env, splitOrderPage(before, update).orderPage) ??
		(payout
			? payoutProblem(env, update.payoutAsset ?? before.payoutAsset, update.payoutAddress ?? before.payoutAddress)
			: null)
	);
}

const replaceSecret: RunOf<typeof topic, 'replace-secret'> = async (context, { id, secret: name }) => {
	const before = await findPartner(context.db, id);
	if (!before) return noSuchPartner(id);
	const { secret, sealed } = await newSecret(keyRing(context.env, 'SECRETS_KEY'), id, name);
	const entry = { command: 'partner replace-secret', changes: { replaced: name } };
	const after = await change(context, before, { [SEALED_COLUMNS[name]]: sealed }, entry);
	if (isFailure(after)) return after;
	if (await tellGate(context.env, id)) return { id, name: after.name, [name]: secret };
	return fail(503, `a new ${name} is stored, but the old one may still be taken; run the command again for a new one`);
};

export const partnerRuns: RunsOf<typeof topic> = {
	create: createPartner,
	list: listPartners,
	show: showPartner,
	update: updatePartner,
	'replace-secret': replaceSecret,
};
