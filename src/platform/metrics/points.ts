/**
 * The closed list of points that are measured. A point has a name, labels and values. In Analytics Engine the name is
 * `blob1`, the labels follow as `blob2` …, the values are `double1` …, and the index is the name with the first label.
 * Its limits are 20 blobs of 16 KB in all, 20 doubles, and one index of 96 bytes. Pure.
 */
export const POINTS = {
	/** An answered call of the API. `code`: the contract's; of a document its HTTP status. */
	call: { labels: ['endpoint', 'code'], values: ['milliseconds'] },
	/** Each minute. `lagSeconds`: since the last poll that worked. */
	network: { labels: ['network'], values: ['lagSeconds', 'freeAddresses'] },
	/** Each minute. */
	price: { labels: ['coin'], values: ['ageSeconds', 'spreadBps', 'sources'] },
	/** Each minute: transactions that are not final. */
	transactions: { labels: ['network', 'state'], values: ['count', 'oldestSeconds'] },
	/** Each minute: webhooks that are due. */
	webhooks: { labels: ['state'], values: ['count', 'oldestSeconds'] },
	/** Each minute: rows of `attention`. */
	attention: { labels: ['area'], values: ['count'] },
	/** A payout or refund was broadcast. `seconds`: since its deposit was final and it was planned. */
	broadcast: { labels: ['network', 'kind'], values: ['seconds'] },
	/** An attempt to deliver a webhook. `lagSeconds`: since the event. */
	delivery: { labels: ['outcome'], values: ['milliseconds', 'attempt', 'lagSeconds'] },
	/** The signer refused a transaction, or to bump its fee. */
	refusal: { labels: ['kind', 'network'], values: ['count'] },
} as const satisfies Record<string, Point>;

interface Point {
	readonly labels: readonly string[];
	readonly values: readonly string[];
}

export type PointName = keyof typeof POINTS;
export type Labels<Name extends PointName> = Readonly<Record<(typeof POINTS)[Name]['labels'][number], string>>;
export type Values<Name extends PointName> = Readonly<Record<(typeof POINTS)[Name]['values'][number], number>>;

/** As Analytics Engine takes it. */
export interface DataPoint {
	readonly indexes: [string];
	readonly blobs: string[];
	readonly doubles: number[];
}

const MAX_INDEX_BYTES = 96;
/** With 20 labels at most a quarter of what all blobs may have. */
const MAX_LABEL_CHARACTERS = 200;

export function dataPoint<Name extends PointName>(name: Name, labels: Labels<Name>, values: Values<Name>): DataPoint {
	const point: Point = POINTS[name];
	const texts: Readonly<Record<string, string>> = labels;
	const numbers: Readonly<Record<string, number>> = values;
	const blobs = [name, ...point.labels.map((label) => (texts[label] ?? '').slice(0, MAX_LABEL_CHARACTERS))];
	const doubles = point.values.map((value) => numbers[value] ?? 0);
	return { indexes: [indexOf(blobs)], blobs, doubles };
}

/** Cut to what the platform takes, at a whole character. */
function indexOf([name = '', first = '']: readonly string[]): string {
	const { read } = new TextEncoder().encodeInto(`${name} ${first}`, new Uint8Array(MAX_INDEX_BYTES));
	return `${name} ${first}`.slice(0, read);
}
