/**
 * Switches that stop something, each with the command that did it and when, from the audit log; and an archive that is on where a
 * Worker has no bucket to archive to.
 */
import { desc, sql } from 'drizzle-orm';
import { archivedBatches } from '../../archive/table.ts';
import { auditLog } from '../../audit/table.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { networkSettings, type Settings } from '../../catalog/settings.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import type { Facts, Waiting } from './waiting.ts';

interface Stopped {
	readonly subject: string | null;
	readonly command: string;
	/** The field that was changed, and its value now. */
	readonly field: string;
	readonly value: boolean;
	readonly cause: string;
	readonly undo: string;
}

/** Most entries of the audit log that are searched. In practice these are all entries of the subjects. */
const ENTRIES = 1_000;

export async function waitingSwitches({ context: { db }, settings }: Facts): Promise<Waiting[]> {
	const stopped = stoppedBy(settings);
	if (stopped.length === 0) return [];
	const subjects = inJson(stopped.flatMap(({ subject }) => (subject === null ? [] : [subject])));
	const entries = await db
		.select()
		.from(auditLog)
		.where(
			sql`${auditLog.subject} in ${subjects} or (${auditLog.subject} is null and ${auditLog.command} = 'site update')`,
		)
		.orderBy(desc(auditLog.at))
		.limit(ENTRIES);
	return stopped.map((one): Waiting => {
		const entry = entries.find((each) => isOf(each, one));
		const by = entry ? `by \`${one.command}\`` : 'by no command that the audit log has';
		return {
			area: 'switch',
			subject: one.subject ?? 'site',
			sort: one.field,
			cause: `${one.cause}, ${by}`,
			since: entry?.at ?? null,
			todo: `\`${one.undo}\` once the reason has passed`,
		};
	});
}

/** Is this the change that made it so? */
function isOf(entry: typeof auditLog.$inferSelect, { subject, command, field, value }: Stopped): boolean {
	const changes = Object(entry.changes) as Readonly<Record<string, { readonly to?: unknown } | undefined>>;
	return entry.subject === subject && entry.command === command && changes[field]?.to === value;
}

/** Everything that is off now. Pure. */
function stoppedBy(settings: Settings): Stopped[] {
	const maintenance: Stopped = {
		subject: null,
		command: 'site update',
		field: 'maintenance',
		value: true,
		cause: 'maintenance is on: create answers 10',
		undo: 'site update --maintenance off',
	};
	const networks = NETWORK_NAMES.flatMap((name): Stopped[] => {
		const { send, receive } = networkSettings(settings, name);
		const off = { subject: name, command: 'network update', value: false };
		return [
			...(send ? [] : [{ ...off, field: 'send', cause: 'payouts are off', undo: `network update ${name} --send on` }]),
			...(receive
				? []
				: [{ ...off, field: 'receive', cause: 'new deposits are off', undo: `network update ${name} --receive on` }]),
		];
	});
	const assets = settings.inactiveAssets.map(
		(code): Stopped => ({
			subject: code,
			command: 'asset update',
			field: 'active',
			value: false,
			cause: 'the asset is off: no new orders, no payouts',
			undo: `asset update ${code} --active on`,
		}),
	);
	const pairs = Object.entries(settings.pairs).flatMap(([pair, { active }]): Stopped[] => {
		const [from, to] = pair.split('>');
		const undo = `pair update ${from} ${to} --active on`;
		return active
			? []
			: [{ subject: pair, command: 'pair update', field: 'active', value: false, cause: 'the pair is off', undo }];
	});
	return [...(settings.maintenance ? [maintenance] : []), ...networks, ...assets, ...pairs];
}

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

const hasArchived = async (db: Db): Promise<boolean> =>
	(await db.select({ number: archivedBatches.number }).from(archivedBatches).limit(1)).length > 0;
