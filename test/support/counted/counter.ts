/**
 * Counts what a Worker asks of the platform, inside that Worker. Each event (a call, an alarm, an RPC to an object, a run
 * of the cron, a batch of the queue) has counts of its own; what it starts and does not wait for counts to it as well.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What is counted. `gate`, `agent`, `book`, `keeper` and `vault` are calls of these objects, `sandbox` those of the objects that stand
 * in for nodes and sources of prices. Rows of objects are those of their SQL and of their keys.
 */
export type Counted =
	| ('database' | 'rowsRead' | 'rowsWritten' | 'signer' | 'pages')
	| ('gate' | 'agent' | 'book' | 'keeper' | 'vault' | 'sandbox')
	| ('objectRowsRead' | 'objectRowsWritten' | 'kvReads' | 'kvWrites' | 'messages' | 'bucketReads' | 'bucketWrites')
	| ('points' | 'lines' | 'lineBytes');
export type Counts = Partial<Record<Counted, number>>;

export interface CountedEvent {
	/** `POST /api/v1/create`, `ChainAgent.alarm`, `cron`, `queue`. */
	readonly label: string;
	readonly counts: Counts;
}

type Cursor = { readonly rowsRead: number; readonly rowsWritten: number };
type Open = CountedEvent & { readonly cursors: Cursor[] };
type Methods = Record<string, (...given: unknown[]) => unknown>;

const scope = new AsyncLocalStorage<Open>();
let events: Open[] = [];

export const isInEvent = (): boolean => scope.getStore() !== undefined;

export function inEvent<T>(label: string, work: () => T): T {
	const event: Open = { label, counts: {}, cursors: [] };
	events.push(event);
	return scope.run(event, work);
}

export function count(what: Counted, by = 1): void {
	const counts = scope.getStore()?.counts;
	if (counts) counts[what] = (counts[what] ?? 0) + by;
}

/** The events so far, and from here on none of them. */
export function takeEvents(): CountedEvent[] {
	const taken = events;
	events = [];
	for (const { counts, cursors } of taken)
		for (const { rowsRead, rowsWritten } of cursors) {
			counts.objectRowsRead = (counts.objectRowsRead ?? 0) + rowsRead;
			counts.objectRowsWritten = (counts.objectRowsWritten ?? 0) + rowsWritten;
		}
	return taken.map(({ label, counts }) => ({ label, counts }));
}

/** Replaces a method of all objects of its class. `after`: of what it was given and what it answers. */
function watchMethod(of: object, name: string, after: (given: unknown[], answer: unknown) => void): void {
	const methods = of as Methods;
	const method = methods[name];
	if (!method) throw new TypeError(`no method ${name}`);
	methods[name] = function (this: unknown, ...given: unknown[]) {
		const answer = method.apply(this, given);
		if (answer instanceof Promise)
			return answer.then((value) => {
				after(given, value);
				return value;
			});
		after(given, answer);
		return answer;
	};
}

/** D1's binding reads its answers as text: the only place where the rows of every kind of query are. */
export function watchDatabase(): void {
	watchMethod(Response.prototype, 'text', (_, text) => {
		if (!/^(\[\{"success":|\{"success":false)/.test(String(text))) return;
		count('database');
		const answers = [JSON.parse(String(text))].flat() as { meta?: { rows_read: number; rows_written: number } }[];
		for (const { meta } of answers) {
			count('rowsRead', meta?.rows_read ?? 0);
			count('rowsWritten', meta?.rows_written ?? 0);
		}
	});
}

/** Lines of the log that this Worker writes. */
export function watchLog(): void {
	for (const name of ['debug', 'log', 'warn', 'error'])
		watchMethod(console, name, ([line]) => {
			count('lines');
			count('lineBytes', String(line).length);
		});
}

let isStorageWatched = false;

/** An object's rows: each key, and the alarm, is one. All objects of the Worker share these classes. */
export function watchStorage({ storage }: DurableObjectState): void {
	if (isStorageWatched) return;
	isStorageWatched = true;
	const [own, sync, sql] = [storage, storage.kv, storage.sql].map((each) => Object.getPrototypeOf(each));
	const keysIn = (given: unknown): number =>
		typeof given === 'object' && given !== null ? Object.keys(given).length : 1;
	for (const keys of [own, sync]) {
		watchMethod(keys, 'get', ([given]) => count('objectRowsRead', keysIn(given)));
		for (const name of ['put', 'delete'])
			watchMethod(keys, name, ([given]) => count('objectRowsWritten', keysIn(given)));
	}
	watchMethod(own, 'setAlarm', () => count('objectRowsWritten'));
	watchMethod(sql, 'exec', (_, cursor) => scope.getStore()?.cursors.push(cursor as Cursor));
}
