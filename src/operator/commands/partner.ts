/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import { desc } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { tellGate } from '../../partners/changes.ts';
import { SEALED_COLUMNS } from '../../partners/secrets.ts';
import { findPartner } from '../../partners/store.ts';
import { partners } from '../../partners/table.ts';
import { objectNamed } from '../../platform/region.ts';
import { type Context, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { keeperOf, numbersOf } from '../env.ts';
import { codeCounters } from '../partners/code-counters.ts';
import { newCredentials } from '../partners/credentials.ts';
import { webhookProblem } from '../partners/problems.ts';
import { partnerCounters, partnerRecord } from '../partners/record.ts';
import { applyUpdate, changeStored, decide, NOT_DECIDED, noSuchPartner } from '../partners/update.ts';
import type { partner as topic } from '../topics/partner.ts';
import { endAccess, invite, showAccess } from './partner-access.ts';
import { makeKey, revokeKey, showKeys } from './partner-keys.ts';

/** Far more partners than one deployment is for. */
const LIST_LIMIT = 1000;

/** The gate is not notified: it loads a partner on their first call. */
const createPartner: RunOf<typeof topic, 'create'> = async (context, { events, ...fields }) => {
	const { env, db, now } = context;
	const problem = webhookProblem(env, fields.webhookUrl);
	if (problem) return fail(400, problem);
	const { sealed, secrets } = await newCredentials(env);
	const row = { ...fields, ...sealed, webhookEvents: events, createdAt: now, updatedAt: now };
	const { id } = row;
	if (row.requireTimestamp && !(await decide(context, id, { requireTimestamp: true }))) return fail(503, NOT_DECIDED);
	const [inserted] = await db.batch([
		db.insert(partners).values(row).returning(),
		writeAudit(context, { command: 'partner create', subject: id, changes: { ...fields, events } }),
	]);
	const [partner] = inserted;
	if (!partner) throw new Error('the partner was not inserted');
	return { ...partnerRecord(partner), ...secrets };
};

const listPartners: RunOf<typeof topic, 'list'> = async ({ db }) => {
	const rows = await db.select().from(partners).orderBy(desc(partners.createdAt), partners.id).limit(LIST_LIMIT);
	return rows.map(partnerRecord);
};

const showPartner: RunOf<typeof topic, 'show'> = async ({ db }, { id }) => {
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	return { ...partnerRecord(partner), ...partnerCounters(partner), ...(await codeCounters(db, id)) };
};

const updatePartner: RunOf<typeof topic, 'update'> = (context, update) =>
	applyUpdate(context, update, 'partner update');

const replaceSecret: RunOf<typeof topic, 'replace-secret'> = async (context, { id, secret: name }) => {
	const before = await findPartner(context.db, id);
	if (!before) return noSuchPartner(id);
	const column = SEALED_COLUMNS[name];
	numbersOf(context.env, 'SECRETS_KEY');
	const { secret, sealed } = await keeperOf(context.env).newSecret(id, name, before[column]);
	const entry = { command: 'partner replace-secret', changes: { replaced: name } };
	const after = await changeStored(context, before, { columns: { [column]: sealed }, entry });
	if (isFailure(after)) return after;
	if ((await tellGate(context.env, id)) && (await takenByGate(context, id))?.[column] === sealed)
		return { id, name: after.name, [name]: secret };
	return fail(503, `a new ${name} is stored, but the old one may still be taken; run the command again for a new one`);
};

/** Where the database was set back, the gate takes no secret that was issued before the one it knows. */
const takenByGate = ({ env }: Context, id: string) => objectNamed(env, env.PARTNER_GATE, id).secrets(id);

export const partnerRuns: RunsOf<typeof topic> = {
	create: createPartner,
	list: listPartners,
	show: showPartner,
	update: updatePartner,
	'replace-secret': replaceSecret,
	'make-key': makeKey,
	keys: showKeys,
	'revoke-key': revokeKey,
	invite,
	access: showAccess,
	'end-access': endAccess,
};
