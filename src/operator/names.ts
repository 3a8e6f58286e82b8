/**
 * Finds the id that a text stands for: the first characters of an id, or a partner's name. Each search is a range or an
 * equality of one index. A text that stands for several is refused with the candidates; one that stands for nothing stays
 * as it is, and the command says that there is no such thing.
 */
import { sql } from 'drizzle-orm';
import { auditLog } from '../audit/table.ts';
import { orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import type { Db } from '../platform/d1/database.ts';
import { transactions } from '../treasury/table.ts';
import { webhookEvents } from '../webhooks/table.ts';
import { type Failure, fail, isFailure } from './command.ts';
import type { Declaration, Named } from './topic.ts';

/** Fewer characters are no beginning of an id: they would stand for too many. */
const SHORTEST = 4;
const UUID_LENGTH = 36;
const BEGINNING = /^[0-9a-f][0-9a-f-]*$/;
/** Candidates that a refusal names. */
const MOST_NAMED = 5;

interface Candidate {
	readonly id: string;
	readonly name: string | null;
}

/** The input with whole ids. In an object, because an input may have a field `failed`, as a failure has. */
export async function withWholeIds(
	db: Db,
	{ arguments: positional, options }: Pick<Declaration, 'arguments' | 'options'>,
	input: object,
): Promise<{ readonly input: object } | Failure> {
	const found: Record<string, unknown> = {};
	const given = Object.fromEntries(Object.entries(input));
	for (const [field, { names }] of [...Object.entries(positional), ...Object.entries(options)]) {
		if (!names) continue;
		const ids = await Promise.all(textsOf(given[field]).map((text) => wholeId(db, names, text)));
		const failure = ids.find(isFailure);
		if (failure) return failure;
		if (ids.length > 0) found[field] = Array.isArray(given[field]) ? ids : ids[0];
	}
	return { input: { ...input, ...found } };
}

const textsOf = (value: unknown): string[] =>
	[value].flat().filter((text): text is string => typeof text === 'string' && text !== '');

async function wholeId(db: Db, kind: Named, text: string): Promise<string | Failure> {
	const beginning = text.toLowerCase();
	const isBeginning = BEGINNING.test(beginning) && text.length >= SHORTEST && text.length < UUID_LENGTH;
	if (!isBeginning && kind !== 'partner') return text;
	const candidates = await candidatesOf(db, kind, text, isBeginning ? beginning : null);
	const exact = candidates.find(({ id }) => id === text);
	if (exact || candidates.length === 0) return text;
	const [first] = candidates;
	if (first && candidates.length === 1) return first.id;
	const named = candidates.slice(0, MOST_NAMED).map(({ id, name }) => (name === null ? id : `${id} (${name})`));
	const more = candidates.length > MOST_NAMED ? ', …' : '';
	return fail(409, `${text} may be any of ${named.join(', ')}${more}; type more of the id`);
}

/** Every id begins with characters below `~`. */
const range = (column: unknown, beginning: string) => sql`${column} >= ${beginning} and ${column} < ${`${beginning}~`}`;

const unnamed = sql<null>`null`;

function candidatesOf(db: Db, kind: Named, text: string, beginning: string | null): Promise<Candidate[]> | Candidate[] {
	const most = MOST_NAMED + 1;
	if (kind === 'partner') {
		// The words of the index: letters from A to Z in any case. A union, because each part has an index of its own.
		const named = sql`select ${partners.id} from ${partners} where ${partners.name} = ${text} collate nocase`;
		const both = (begun: string) =>
			sql`${named} union all select ${partners.id} from ${partners} where ${range(partners.id, begun)}`;
		const isIt = sql`${partners.id} in (${beginning === null ? named : both(beginning)})`;
		return db.select({ id: partners.id, name: partners.name }).from(partners).where(isIt).limit(most);
	}
	if (beginning === null) return [];
	if (kind === 'subject') {
		const subject = sql<string>`${auditLog.subject}`;
		const query = db.selectDistinct({ id: subject, name: unnamed }).from(auditLog);
		return query.where(range(auditLog.subject, beginning)).limit(most);
	}
	if (kind === 'payment') {
		const begun = (table: typeof orders | typeof transactions) =>
			sql`select id, null as name from ${table} where ${range(table.id, beginning)}`;
		return db.all<Candidate>(sql`${begun(orders)} union all ${begun(transactions)} limit ${most}`);
	}
	if (kind === 'webhook') {
		const column = text.includes('.') ? webhookEvents.id : webhookEvents.eventId;
		const query = db.selectDistinct({ id: column, name: unnamed }).from(webhookEvents);
		return query.where(range(column, beginning)).limit(most);
	}
	const table = { order: orders, transaction: transactions }[kind];
	return db.select({ id: table.id, name: unnamed }).from(table).where(range(table.id, beginning)).limit(most);
}
