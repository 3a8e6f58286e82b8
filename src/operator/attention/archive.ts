/**
 * The archive is on, and a Worker has no bucket to archive to. A deployment that never had one archives nothing: the size of
 * its database is told instead.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { archivedBatches } from '../../archive/table.ts';
import type { Facts, Waiting } from './waiting.ts';

const OPERATOR = {
	sort: 'operator',
	who: 'the operator Worker',
	todo: 'bind the bucket in src/operator/wrangler.toml and deploy with `npx exchange deploy operator`',
};
const AGENTS = {
	sort: 'agents',
	who: 'the agents Worker',
	todo: 'bind the bucket in src/agents/wrangler.toml and deploy with `npx exchange deploy agents`',
};
const API = {
	sort: 'api',
	who: 'the API Worker',
	todo: 'bind the bucket in wrangler.toml and deploy with `npx exchange deploy api`',
};

export async function waitingArchive({ context: { env, db, deployment }, settings }: Facts): Promise<Waiting[]> {
	if (!settings.archiveAfterDays) return [];
	const { api } = deployment ?? {};
	const lacks = [
		...(env.ARCHIVE ? [] : [OPERATOR]),
		...(api?.hasArchive === false ? [API] : []),
		...(api?.agents?.hasArchive === false ? [AGENTS] : []),
	];
	if (lacks.length === 3 && !(await hasArchived(db))) return [];
	return lacks.map(({ sort, who, todo }) => ({
		area: 'switch',
		subject: 'archive',
		sort,
		cause: `finished orders are to be archived, and ${who} has no bucket ARCHIVE: ${sort === 'agents' ? 'it finds none of them' : 'none is'}`,
		todo: `${todo}, or \`site update --archive-after-days none\``,
	}));
}

const hasArchived = async (db: DrizzleD1Database): Promise<boolean> =>
	(await db.select({ number: archivedBatches.number }).from(archivedBatches).limit(1)).length > 0;
