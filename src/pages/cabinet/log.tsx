/** The team's log: a line of the audit log for each action of a member, and `/cabinet/log`, which shows them. */
import { and, desc, eq, like, lt } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { auditLog } from '../../audit/table.ts';
import { Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, Said } from './frame.tsx';
import type { Person } from './passkeys.ts';
import { ACTIONS, actionOf } from './roles.ts';

const PATH = '/cabinet/log';
const ON_A_PAGE = 100;
const COMMAND = 'cabinet ';
const ACTOR = 'partner ';
const MOST_FIELDS = 20;
const MOST_TEXT = 200;
/** Fields of every form that say nothing of the action. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['form', 'confirms', 'answer']);

/** `about`: texts that the action was about; never a secret. */
export const writeOwn = (
	c: CabinetContext,
	{ partnerId, member }: Pick<Person, 'partnerId' | 'member'>,
	about: Readonly<Record<string, string>>,
) =>
	writeAudit(
		{ db: placesOf(c).db, now: Date.now(), actor: ACTOR + member },
		{ command: COMMAND + actionOf(c.req.path).name, subject: partnerId, changes: about },
	);

/**
 * Once for each request. What a passkey confirmed is noted before it is done, so nothing of it is done that the log does not
 * have; the rest when it was done. @throws what D1 throws
 */
export async function noteOwn(c: CabinetContext): Promise<void> {
	if (c.var.isNoted || actionOf(c.req.path).says === null) return;
	c.set('isNoted', true);
	const fields = Object.entries(await c.req.parseBody({ all: true })).filter(([name]) => !NOT_SHOWN.has(name));
	const about = fields.slice(0, MOST_FIELDS).map(([name, value]) => [name, String(value).slice(0, MOST_TEXT)]);
	await writeOwn(c, c.var.session, Object.fromEntries(about));
}

async function showLog(c: CabinetContext): Promise<Response> {
	const { session } = c.var;
	const below = Number(c.req.query('below') ?? Number.NaN);
	const rows = await placesOf(c)
		.db.select()
		.from(auditLog)
		.where(
			and(
				eq(auditLog.subject, session.partnerId),
				like(auditLog.actor, `${ACTOR}_%`),
				Number.isSafeInteger(below) ? lt(auditLog.number, below) : undefined,
			),
		)
		.orderBy(desc(auditLog.at), desc(auditLog.number))
		.limit(ON_A_PAGE);
	const last = rows.length === ON_A_PAGE ? rows.at(-1) : undefined;
	return cabinetPage(
		c,
		{ title: 'Log', heading: <h1>What your team did</h1>, path: PATH },
		<>
			<p>Lines are only ever added. Your API calls are not in it.</p>
			<Table
				label="Log"
				rows={rows}
				empty="Nobody did anything yet."
				columns={[
					{ head: 'When', cell: ({ at }) => <Time at={at} /> },
					{ head: 'Who', cell: ({ actor }) => <Said text={actor.slice(ACTOR.length)} /> },
					{ head: 'What', cell: ({ command }) => sentenceOf(command.slice(COMMAND.length)) },
					{ head: 'Details', is: 'wrap', cell: ({ changes }) => <Said text={detailsOf(changes)} /> },
				]}
			/>
			{last && <a href={`${PATH}?below=${last.number}`}>Older lines</a>}
		</>,
	);
}

const sentenceOf = (name: string): string => ACTIONS[name]?.says ?? name;

const detailsOf = (changes: unknown): string =>
	Object.entries(changes ?? {})
		.map(([name, value]) => `${name}: ${String(value)}`)
		.join(', ');

export function mountLog(app: CabinetApp): void {
	app.get(PATH, showLog);
}
