/**
 * The archive is on, and a Worker has no bucket to archive to. A deployment that never had one archives nothing: the size of
 * its database is told instead.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { archivedBatches } from '../../archive/table.ts';
import type { Facts, Waiting } from './waiting.ts';

const NAMES = { operator: 'operator', api: 'API', agents: 'agents' };
const TODO = {
	operator: 'bind the bucket in src/operator/wrangler.toml and deploy with `npx exchange deploy operator`',
	api: 'bind the bucket in wrangler.toml and deploy with `npx exchange deploy api`',
	agents: 'bind the bucket in src/agents/wrangler.toml and deploy with `npx exchange deploy agents`',
};

export async function waitingArchive({ context: { env, db, deployment }, settings }: Facts): Promise<Waiting[]> {
	if (!settings.archiveAfterDays) return [];
	const { api } = deployment ?? {};
	const lacks = [
		...(env.ARCHIVE ? [] : (['operator'] as const)),
		...(api?.hasArchive === false ? (['api'] as const) : []),
		...(api?.agents?.hasArchive === false ? (['agents'] as const) : []),
	];
	if (lacks.length === 3 && !(await hasArchived(db))) return [];
	return lacks.map((sort) => ({
		area: 'switch',
		subject: 'archive',
		sort,
		cause: `finished orders are to be archived, and the ${NAMES[sort]} Worker has no bucket ARCHIVE: ${sort === 'agents' ? 'it finds none of them' : 'none is'}`,
		todo: `${TODO[sort]}, or \`site update --archive-after-days none\``,
	}));
}

const hasArchived = async (db: DrizzleD1Database): Promise<boolean> =>
	(await db.select({ number: archivedBatches.number }).from(archivedBatches).limit(1)).length > 0;
