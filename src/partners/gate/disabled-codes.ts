/**
 * Reference codes that their partner has disabled, and that D1, which was set back, has as enabled: the gate takes them for
 * disabled, and they are disabled in D1 again as soon as it takes a write.
 */
import { and, eq } from 'drizzle-orm';
import { incidentNow } from '../../incidents/store.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { log, logError } from '../../platform/log.ts';
import type { Env } from '../../ports/env.ts';
import type { GateRecord } from '../store.ts';
import { referenceCodes } from '../table.ts';
import type { EndedAccess } from './ended-access.ts';

/** The codes as they count. */
export async function withDisabled(
	{ DB }: Pick<Env, 'DB'>,
	ended: EndedAccess,
	{ partner: { id }, codes }: GateRecord,
): Promise<GateRecord['codes']> {
	const enabled = [...codes].filter(([, code]) => code.enabled).map(([name]) => name);
	const setBack = ended.disabledAmong(enabled);
	if (setBack.length === 0) return codes;
	log('code_set_back', { partnerId: id, codes: setBack });
	try {
		await disableAgain(DB, id, setBack);
	} catch (error) {
		logError('code_not_put_back', error, { partnerId: id });
	}
	return new Map([...codes].map(([name, code]) => [name, setBack.includes(name) ? { ...code, enabled: false } : code]));
}

/** Atomic: the codes and the incident are one batch. */
async function disableAgain(database: D1Database, partnerId: string, codes: readonly string[]): Promise<void> {
	const db = databaseOf({ DB: database });
	const isSetBack = and(eq(referenceCodes.partnerId, partnerId), isIn(referenceCodes.code, codes));
	await db.batch([
		db.update(referenceCodes).set({ enabled: false }).where(isSetBack),
		incidentNow(db, { kind: 'code-set-back', subject: partnerId, detail: codes.join(', ') }, Date.now()),
	]);
}
