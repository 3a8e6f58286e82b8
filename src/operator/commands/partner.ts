/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import { desc } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { tellGate } from '../../partners/changes.ts';
import { SEALED_COLUMNS } from '../../partners/secrets.ts';
import { findPartner } from '../../partners/store.ts';
import { partners, webhookEndpoints } from '../../partners/table.ts';
import { endpointsOf, newEndpoint } from '../../partners/webhook-endpoints.ts';
import { objectNamed } from '../../platform/region.ts';
import { type Context, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { keeperOf, numbersOf } from '../env.ts';
import { newCredentials } from '../partners/credentials.ts';
import { firstEndpoints } from '../partners/first-endpoint.ts';
import { webhookProblem } from '../partners/problems.ts';
import { codeCounters, endpointRecord, partnerCounters, partnerRecord } from '../partners/record.ts';
import { applyUpdate, changeStored, decide, NOT_DECIDED, noSuchPartner } from '../partners/update.ts';
import type { partner as topic } from '../topics/partner.ts';
import { endAccess, invite, showAccess } from './partner-access.ts';
import { makeKey, revokeKey, showKeys } from './partner-keys.ts';

/** Far more partners than one deployment is for. */
const LIST_LIMIT = 1000;

/** The gate is not notified: it loads a partner on their first call. */
const createPartner: RunOf<typeof topic, 'create'> = async (context, input) => {
	const { env, db, now } = context;
	const { events, webhookUrl: url, ...fields } = input;
	const problem = webhookProblem(env, url);
	if (problem) return fail(400, problem);
	const { sealed, secrets } = await newCredentials(env);
	const row = { ...fields, ...sealed, createdAt: now, updatedAt: now };
	const { id } = row;
	if (row.requireTimestamp && !(await decide(context, id, { requireTimestamp: true }))) return fail(503, NOT_DECIDED);
	const chosen = { partnerId: id, orderId: null, events, enabled: true };
	const endpoint = url === null ? null : await newEndpoint(env.askedKeys(), { ...chosen, url }, now);
	const [inserted] = await db.batch([
		db.insert(partners).values(row).returning(),
		writeAudit(context, { command: 'partner create', subject: id, changes: input }),
		...(endpoint ? [db.insert(webhookEndpoints).values(endpoint)] : []),
	]);
	const [partner] = inserted;
	if (!partner) throw new Error('the partner was not inserted');
	return { ...partnerRecord(partner, endpoint), ...secrets };
};

const listPartners: RunOf<typeof topic, 'list'> = async ({ db }) => {
	const rows = await db.select().from(partners).orderBy(desc(partners.createdAt), partners.id).limit(LIST_LIMIT);
	const first = await firstEndpoints(db);
	return rows.map((partner) => partnerRecord(partner, first.get(partner.id) ?? null));
};

const showPartner: RunOf<typeof topic, 'show'> = async ({ db }, { id }) => {
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	const endpoints = await endpointsOf(db, id);
	return {
		...partnerRecord(partner, endpoints[0] ?? null),
		endpoints: endpoints.map(endpointRecord),
		...partnerCounters(partner),
		...(await codeCounters(db, id)),
	};
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
