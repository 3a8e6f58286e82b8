/** The meaning of answers' fields: moments, switches, and which values are good or bad. Pure. */
import type { Topic } from '../topic.ts';
import { TOPICS } from '../topics/table.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Times of an order as its partner sees it, in Unix seconds (book: contract, "Order"). */
const UNIX_SECONDS: ReadonlySet<string> = new Set(['reg', 'expiration', 'update', 'finish']);

/**
 * Fields that operators switch read on or off; every other truth reads yes or no. `recv` is what the asset's switches
 * add up to.
 */
export const SWITCHES: ReadonlySet<string> = new Set([
	'recv',
	...Object.values<Topic>(TOPICS)
		.flatMap(({ commands }) => Object.values(commands))
		.flatMap(({ options }) => Object.entries(options).filter(([, { kind }]) => kind === 'boolean'))
		.map(([field]) => field),
]);

/** UUIDs, and ids of partners. */
const WHOLE_ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?<![\da-z])[0-9a-f]{32}(?![\da-z])/g;
const SHORT_ID_LENGTH = 8;

export const shortIds = (text: string): string => text.replaceAll(WHOLE_ID, (id) => id.slice(0, SHORT_ID_LENGTH));

/** Unix milliseconds; null of a value that is no moment. */
export function momentOf(field: string, value: unknown): number | null {
	if (typeof value === 'number' && UNIX_SECONDS.has(field)) return value * 1000;
	return typeof value === 'string' && MOMENT.test(value) ? Date.parse(value) : null;
}

export const isEmpty = (value: unknown): boolean =>
	value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

export type Tone = 'red' | 'yellow' | 'green';

const TONES: Readonly<Record<string, Tone>> = {
	EMERGENCY: 'red',
	blocked: 'red',
	failed: 'red',
	ended: 'red',
	gone: 'red',
	differs: 'red',
	problem: 'red',
	wrong: 'red',
	PENDING: 'yellow',
	EXCHANGE: 'yellow',
	planned: 'yellow',
	signed: 'yellow',
	waits: 'yellow',
	due: 'yellow',
	moving: 'yellow',
	unchecked: 'yellow',
	seen: 'yellow',
	unknown: 'yellow',
	DONE: 'green',
	final: 'green',
	sent: 'green',
	delivered: 'green',
	agrees: 'green',
	fine: 'green',
};

/** Facts that are good when they are true; of switches the same holds, but for maintenance. */
const GOOD: ReadonlySet<string> = new Set(['ok', 'answers', 'fresh', 'offered']);
const NEUTRAL: ReadonlySet<string> = new Set(['beyondReserve', 'requireTimestamp']);
const ALARMING: ReadonlySet<string> = new Set(['held', 'lastError', 'attention']);
const DELAYING: ReadonlySet<string> = new Set(['waitsBecause', 'cause', 'why']);

export function toneOf(field: string, value: unknown): Tone | null {
	if (field === 'maintenance') return value === true ? 'yellow' : null;
	if (typeof value === 'boolean')
		return GOOD.has(field) || (SWITCHES.has(field) && !NEUTRAL.has(field)) ? (value ? 'green' : 'red') : null;
	if (isEmpty(value)) return null;
	if (ALARMING.has(field)) return 'red';
	if (DELAYING.has(field)) return 'yellow';
	return typeof value === 'string' ? (TONES[value] ?? null) : null;
}

export const isRow = (value: unknown): value is Row =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a list; none of anything else. */
export const rowsIn = (data: unknown): Row[] => (Array.isArray(data) ? data.filter(isRow) : []);

export const titleOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();
