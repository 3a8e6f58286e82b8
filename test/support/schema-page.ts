/**
 * The chapter about the schema, made of the migrations: what SQLite has after all of them, and what their comments say.
 * A definition is shown as it is written, so a constraint is in the page in the words that refuse a row.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { slug } from '../../src/docs/page/html.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

const HEAD = `# The schema

What D1 has, table by table. \`npm run schema:page\` makes this page of the files in \`migrations\`, and a check fails while it is
not current. Amounts are base units as decimal text; times are Unix milliseconds. A definition is the SQL that refuses a row; a
trigger that refuses makes its whole batch fail. All tables are \`STRICT\`. What writes which table is in the \`table.ts\` and
\`store.ts\` of its folder in \`src\`.`;

interface Named {
	readonly type: 'table' | 'index' | 'trigger' | 'view';
	readonly name: string;
	readonly tbl_name: string;
	readonly sql: string;
}

interface Part {
	readonly definition: string;
	readonly comment: string;
}

const migrations = (): string[] =>
	readdirSync(MIGRATIONS)
		.toSorted()
		.map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));

function migrated(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	for (const text of migrations()) database.exec(text);
	return database;
}

/** `strict`: 1 where SQLite holds each value to its column's type. */
export const migratedTables = () =>
	migrated()
		.prepare("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
		.all() as { name: string; strict: number }[];

/** @throws where a cell has a sign that would part it */
export function schemaPage(): string {
	const texts = migrations();
	const all = migrated()
		.prepare(
			"SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
		)
		.all() as unknown as Named[];
	const comments = commentsIn(texts.join('\n'));
	const tables = all.filter(({ type }) => type === 'table').map((table) => tableText(table, all, comments));
	const views = all.filter(({ type }) => type === 'view').map((view) => viewText(view, all, comments));
	return `${[HEAD, ...tables, '## Views', ...views].join('\n\n')}\n`;
}

/** The comment that stands directly before a statement, by the name of what it creates. */
function commentsIn(text: string): ReadonlyMap<string, string> {
	const found = text.matchAll(/((?:^--.*\n)+)CREATE (?:UNIQUE )?(?:TABLE|INDEX|TRIGGER|VIEW) (\w+)/gm);
	return new Map([...found].map(([, lines = '', name = '']) => [name, proseOf(lines)]));
}

/** One line; a citation of the book is a link to it. */
const proseOf = (lines: string): string =>
	lines
		.replaceAll(/^\s*--\s?/gm, '')
		.replaceAll(/\s+/g, ' ')
		.trim()
		.replaceAll(/\(book: ([\w-]+), ("[^"]+"(?:, "[^"]+")*)\)/g, (_, chapter: string, quoted: string) => {
			const links = [...quoted.matchAll(/"([^"]+)"/g)].map(
				([, heading = '']) => `[${heading}](${chapter}.md#${slug(heading)})`,
			);
			return `(${links.join(', ')})`;
		});

function tableText(table: Named, all: readonly Named[], comments: ReadonlyMap<string, string>): string {
	const parts = partsOf(table.sql);
	const isColumn = ({ definition }: Part) => !/^(?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\b/.test(definition);
	const columns = parts.filter(isColumn).map(({ definition, comment }) => {
		const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(definition) ?? [];
		return row(`\`${name}\``, `\`${rest}\``, comment);
	});
	const constraints = parts
		.filter((part) => !isColumn(part))
		.map(({ definition, comment }) => item(`\`${definition}\``, comment));
	const own = (type: Named['type']) => all.filter((each) => each.type === type && each.tbl_name === table.name);
	const indexes = own('index').map(({ name, sql }) => {
		const [, unique = '', on = ''] = /^CREATE (UNIQUE )?INDEX \w+\s+ON \w+ ([\s\S]*)$/.exec(sql) ?? [];
		return item(`\`${name}\`: \`${unique}${oneLine(on)}\``, comments.get(name) ?? '');
	});
	return [
		`## ${table.name}`,
		comments.get(table.name) ?? '',
		['| Column | Definition | Meaning |', '|---|---|---|', ...columns].join('\n'),
		constraints.join('\n'),
		indexes.length === 0 ? '' : `Indexes:\n\n${indexes.join('\n')}`,
		triggersText(own('trigger'), comments),
	]
		.filter((text) => text !== '')
		.join('\n\n');
}

function viewText({ name, sql }: Named, all: readonly Named[], comments: ReadonlyMap<string, string>): string {
	const triggers = all.filter((each) => each.type === 'trigger' && each.tbl_name === name);
	return [`### ${name}`, comments.get(name) ?? '', `\`\`\`sql\n${sql}\n\`\`\``, triggersText(triggers, comments)]
		.filter((text) => text !== '')
		.join('\n\n');
}

function triggersText(triggers: readonly Named[], comments: ReadonlyMap<string, string>): string {
	if (triggers.length === 0) return '';
	const rows = triggers.map(({ name, sql }) => {
		const [, when = ''] =
			/^CREATE TRIGGER \w+ ((?:BEFORE|AFTER|INSTEAD OF) (?:INSERT|DELETE|UPDATE(?: OF [\w, ]+)?)) ON/.exec(sql) ?? [];
		const body = sql.slice(sql.indexOf('BEGIN'));
		const refused = [...body.matchAll(/RAISE\(ABORT, 'refused: ([^']+)'\)/g)].map(([, text]) => `refuses “${text}”`);
		const written = [...body.matchAll(/(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/g)].map(([, table = '']) => table);
		const writes = [...new Set(written)].filter((table) => table !== 'SET').map((table) => `\`${table}\``);
		const does = [...new Set(refused), ...(writes.length > 0 ? [`writes ${writes.join(', ')}`] : [])].join('; ');
		return row(`\`${name}\``, when.toLowerCase(), does, comments.get(name) ?? '');
	});
	return ['| Trigger | When | Does | Why |', '|---|---|---|---|', ...rows].join('\n');
}

/** What a table's definition consists of: each part with the comment before it. */
function partsOf(sql: string): Part[] {
	const body = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'));
	const parts: Part[] = [];
	let [definition, comment, depth] = ['', '', 0];
	const end = () => {
		if (definition.trim() !== '') parts.push({ definition: oneLine(definition), comment: proseOf(comment) });
		[definition, comment] = ['', ''];
	};
	for (const [token] of body.matchAll(/--.*\n?|'(?:[^']|'')*'|[(),]|[^-'(),]+|-/g)) {
		if (token.startsWith('--')) comment += token;
		else if (token === ',' && depth === 0) end();
		else {
			if (token === '(') depth++;
			if (token === ')') depth--;
			definition += token;
		}
	}
	end();
	return parts;
}

const oneLine = (sql: string): string =>
	sql.replaceAll(/\s+/g, ' ').replaceAll(/\( /g, '(').replaceAll(/ \)/g, ')').trim();

function row(...cells: readonly string[]): string {
	const wrong = cells.find((cell) => cell.includes('|'));
	if (wrong !== undefined) throw new Error(`a cell of the schema's page has a bar: ${wrong}`);
	return `| ${cells.join(' | ')} |`;
}

const item = (what: string, comment: string): string => (comment === '' ? `- ${what}` : `- ${what}. ${comment}`);
