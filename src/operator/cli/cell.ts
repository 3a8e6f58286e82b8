/** One value as people read it: its text, and its colour where it means good or bad. Pure. */
import { styleText } from 'node:util';
import type { Topic } from '../topic.ts';
import { TOPICS } from '../topics/table.ts';
import { absoluteText, relativeText } from './time.ts';

/** How an answer is printed. */
export interface Style {
	/** Columns of the terminal that a line may have. */
	readonly width: number;
	/** Unix milliseconds. */
	readonly now: number;
	/** Everything: all columns, whole ids, absolute times. */
	readonly wide: boolean;
	readonly color: boolean;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Times of an order as its partner sees it, in Unix seconds (book: contract, "Order"). */
const UNIX_SECONDS: ReadonlySet<string> = new Set(['reg', 'expiration', 'update', 'finish']);

/** What operators switch is on or off; every other truth is yes or no. `recv` is what the asset's switches add up to. */
const SWITCHES: ReadonlySet<string> = new Set([
	'recv',
	...Object.values<Topic>(TOPICS)
		.flatMap(({ commands }) => Object.values(commands))
		.flatMap(({ options }) => Object.entries(options).filter(([, { kind }]) => kind === 'boolean'))
		.map(([field]) => field),
]);

/** UUIDs, and ids of partners. */
const WHOLE_ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?<![\da-z])[0-9a-f]{32}(?![\da-z])/g;
const SHORT_ID_LENGTH = 8;

/** A blank at which a table's line is not broken: `3 min ago` stays whole. It is printed as a blank. */
export const UNBROKEN = '\u00a0';

/** In a table a time is relative and an id is its beginning, unless everything is asked for. */
export function tableCell(field: string, value: unknown, { now, wide }: Style): string {
	const at = momentOf(field, value);
	if (at !== null) return wide ? absoluteText(at) : relativeText(at, now).replaceAll(' ', UNBROKEN);
	const text = cell(value, field);
	return wide ? text : shortIds(text);
}

/** In a card a time is both. */
export function cardCell(field: string, value: unknown, { now }: Style): string {
	const at = momentOf(field, value);
	return at === null ? cell(value, field) : `${absoluteText(at)} (${relativeText(at, now)})`;
}

export const shortIds = (text: string): string => text.replaceAll(WHOLE_ID, (id) => id.slice(0, SHORT_ID_LENGTH));

function momentOf(field: string, value: unknown): number | null {
	if (typeof value === 'number' && UNIX_SECONDS.has(field)) return value * 1000;
	return typeof value === 'string' && MOMENT.test(value) ? Date.parse(value) : null;
}

/** An empty value is `-`; text is on one line, whatever it contains. */
export function cell(value: unknown, field = ''): string {
	if (isEmpty(value)) return '-';
	if (typeof value === 'boolean') return SWITCHES.has(field) ? (value ? 'on' : 'off') : value ? 'yes' : 'no';
	if (Array.isArray(value)) return value.map((one) => cell(one, field)).join(', ');
	if (isRow(value)) return factsText(value);
	return String(value).replaceAll(/\p{Cc}+/gu, ' ');
}

/** A record in a table: `minUsd 40 → 41, name Acme`. */
function factsText(record: Row): string {
	const fields = Object.keys(record);
	if (fields.length === 2 && 'from' in record && 'to' in record)
		return `${cell(record['from'])} → ${cell(record['to'])}`;
	return fields.map((field) => `${field} ${cell(record[field], field)}`).join(', ');
}

export const isEmpty = (value: unknown): boolean =>
	value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

type Tone = 'red' | 'yellow' | 'green';

const TONES: Readonly<Record<string, Tone>> = {
	...{ EMERGENCY: 'red', blocked: 'red', failed: 'red', ended: 'red', gone: 'red', differs: 'red', problem: 'red' },
	...{ PENDING: 'yellow', EXCHANGE: 'yellow', planned: 'yellow', signed: 'yellow', waits: 'yellow', due: 'yellow' },
	...{ moving: 'yellow', unchecked: 'yellow', seen: 'yellow' },
	...{ DONE: 'green', final: 'green', sent: 'green', delivered: 'green', agrees: 'green', fine: 'green' },
};

/** Facts that are good when they are true; of switches the same holds, but for maintenance. */
const GOOD: ReadonlySet<string> = new Set(['ok', 'answers', 'fresh', 'offered']);
const NEUTRAL: ReadonlySet<string> = new Set(['beyondReserve', 'requireTimestamp']);
const ALARMING: ReadonlySet<string> = new Set(['held', 'lastError', 'attention']);
const DELAYING: ReadonlySet<string> = new Set(['waitsBecause', 'cause', 'why']);

function toneOf(field: string, value: unknown): Tone | null {
	if (field === 'maintenance') return value === true ? 'yellow' : null;
	if (typeof value === 'boolean')
		return GOOD.has(field) || (SWITCHES.has(field) && !NEUTRAL.has(field)) ? (value ? 'green' : 'red') : null;
	if (isEmpty(value)) return null;
	if (ALARMING.has(field)) return 'red';
	if (DELAYING.has(field)) return 'yellow';
	return typeof value === 'string' ? (TONES[value] ?? null) : null;
}

/** `text`: what stands for the value, padded or wrapped. */
export function painted(text: string, field: string, value: unknown, { color }: Style): string {
	const tone = color ? toneOf(field, value) : null;
	return tone === null || text.trim() === '' ? text : styleText(tone, text, { validateStream: false });
}

export const isRow = (value: unknown): value is Row =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export type Row = Readonly<Record<string, unknown>>;

export const titleOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();
