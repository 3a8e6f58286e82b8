/**
 * Compares D1 with what the operator decided. Where D1 is looser, it gets the decided value again, and the operator is
 * told what differed.
 *
 * Atomic: all rows and their incidents are one batch. Where it fails nothing is written, and the caller's snapshot of
 * before stays in force.
 */
import { eq, inArray, sql } from 'drizzle-orm';
import { isAssetId } from '../catalog/assets.ts';
import { isNetworkName } from '../catalog/networks.ts';
import { leanBounds, networkSettings, pairSettings, type Settings } from '../catalog/settings.ts';
import { assetSettings, networkSettings as networkTable, pairSettings as pairTable, site } from '../catalog/table.ts';
import { incidentNow } from '../incidents/store.ts';
import { tellGate } from '../partners/changes.ts';
import { type PartnerRow, partners } from '../partners/table.ts';
import type { Statement } from '../platform/d1/batches.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { inJson } from '../platform/d1/lists.ts';
import { log } from '../platform/log.ts';
import type { KeptDecisions } from './kept.ts';
import { type Decided, type Fields, looserFields } from './rules.ts';

type GateOwner = Parameters<typeof tellGate>[0] & { readonly DB: D1Database };

/** True where rows were written: then the settings are to be read again. */
export async function mendSettings(env: GateOwner, kept: KeptDecisions, settings: Settings): Promise<boolean> {
	const db = databaseOf(env);
	const decided = kept.all();
	const rows = await partnersAmong(db, decided);
	const looser = decided.flatMap((one) => {
		const found = foundIn(settings, rows, one);
		const fields = found === null ? {} : looserFields(one, found);
		return Object.keys(fields).length === 0 ? [] : [{ ...one, fields }];
	});
	const now = Date.now();
	const [revision, before] = [settings.revision, kept.revision()];
	const setBack = revision < before ? [{ name: 'database', detail: `revision ${revision}, it was ${before}` }] : [];
	const told = [...setBack, ...looser.map(({ name, fields }) => ({ name, detail: detailOf(fields) }))];
	const [first, ...rest] = told.map(({ name, detail }) =>
		incidentNow(db, { kind: 'settings-set-back', subject: name.replace('>', '-'), detail }, now),
	);
	if (!first) {
		kept.saw(revision);
		return false;
	}
	for (const { name, detail } of told) log('settings_set_back', { subject: name, detail });
	await db.batch([first, ...rest, ...looser.map((one) => rowOf(db, one, settings, now))]);
	kept.saw(revision);
	for (const { table, name } of looser) if (table === 'partner') await tellGate(env, name);
	return looser.length > 0;
}

const detailOf = (fields: Fields): string =>
	Object.entries(fields)
		.map(([name, value]) => `${name} is ${value} again`)
		.join(', ');

type PartnerFields = Pick<PartnerRow, 'enabled' | 'requireTimestamp'>;

/** Those about whom something strict was decided. One that D1 has forgotten is not among them. */
async function partnersAmong(db: Db, decided: readonly Decided[]): Promise<ReadonlyMap<string, PartnerFields>> {
	const strict = decided.filter(
		({ table, fields }) => table === 'partner' && (fields['enabled'] === false || fields['requireTimestamp'] === true),
	);
	if (strict.length === 0) return new Map();
	const ids = inJson(strict.map(({ name }) => name));
	const rows = await db
		.select({ id: partners.id, enabled: partners.enabled, requireTimestamp: partners.requireTimestamp })
		.from(partners)
		.where(inArray(partners.id, ids));
	return new Map(rows.map(({ id, ...fields }) => [id, fields]));
}

/** D1's row of it; null where there is nothing to compare. */
function foundIn(
	settings: Settings,
	rows: ReadonlyMap<string, PartnerFields>,
	{ table, name }: Decided,
): Readonly<Record<string, unknown>> | null {
	if (table === 'site') return { ...settings };
	if (table === 'partner') return rows.get(name) ?? null;
	if (table === 'network') return isNetworkName(name) ? { ...networkSettings(settings, name) } : null;
	const [from = '', to = ''] = name.split('>');
	if (table === 'pair') return isAssetId(from) && isAssetId(to) ? { ...pairSettings(settings, from, to) } : null;
	if (!isAssetId(name)) return null;
	return {
		active: !settings.inactiveAssets.includes(name),
		beyondReserve: settings.beyondReserve.includes(name),
		...leanBounds(settings, name),
	};
}

/** The row with the decided values of these fields; the others stay as they are in D1. */
function rowOf(db: Db, { table, name, fields }: Decided, settings: Settings, now: number): Statement {
	if (table === 'site') return db.update(site).set(fields);
	if (table === 'partner')
		return db
			.update(partners)
			.set({ ...fields, updatedAt: sql`max(${now}, ${partners.updatedAt} + 1)` })
			.where(eq(partners.id, name));
	const found = { ...foundIn(settings, new Map(), { table, name, fields }), ...fields };
	if (table === 'network') {
		const row = { ...found, name } as typeof networkTable.$inferInsert;
		return db.insert(networkTable).values(row).onConflictDoUpdate({ target: networkTable.name, set: fields });
	}
	if (table === 'asset') {
		const row = { ...found, code: name } as typeof assetSettings.$inferInsert;
		return db.insert(assetSettings).values(row).onConflictDoUpdate({ target: assetSettings.code, set: fields });
	}
	const [fromAsset = '', toAsset = ''] = name.split('>');
	const row = { ...found, fromAsset, toAsset } as typeof pairTable.$inferInsert;
	const target = [pairTable.fromAsset, pairTable.toAsset];
	return db.insert(pairTable).values(row).onConflictDoUpdate({ target, set: fields });
}
