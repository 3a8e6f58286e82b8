/**
 * What code of the service asks of an object's storage and of D1, and what it is told. The real runtime and the
 * simulator's stand-ins are held to the same table.
 */
type Storage = Pick<
	DurableObjectStorage,
	'sql' | 'kv' | 'get' | 'put' | 'list' | 'setAlarm' | 'getAlarm' | 'deleteAlarm'
> &
	Pick<DurableObjectStorage, 'transactionSync' | 'sync'>;

export interface PlatformCall<On> {
	readonly title: string;
	readonly run: (on: On) => unknown;
	readonly told: unknown;
}

const AT = 4_000_000_000_000;

export const STORAGE_CALLS: readonly PlatformCall<Storage>[] = [
	{ title: 'a key that was never written is undefined', run: (storage) => storage.kv.get('none'), told: undefined },
	{
		title: 'a value comes back as it was, big integers included',
		run(storage) {
			storage.kv.put('value', { amount: 12n, list: [1, 'two', null] });
			return storage.kv.get('value');
		},
		told: { amount: 12n, list: [1, 'two', null] },
	},
	{
		title: 'both interfaces see the same keys',
		async run(storage) {
			await storage.put('later', 1);
			return [storage.kv.get('later'), await storage.get('value')];
		},
		told: [1, { amount: 12n, list: [1, 'two', null] }],
	},
	{
		title: 'a list is sorted by key, and a deleted key is not in it',
		async run(storage) {
			storage.kv.put('b', 2);
			storage.kv.put('a', 1);
			storage.kv.delete('later');
			storage.kv.delete('value');
			return [...(await storage.list())];
		},
		told: [
			['a', 1],
			['b', 2],
		],
	},
	{
		title: 'rows are objects, and what RETURNING says comes with them',
		run(storage) {
			storage.sql.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX t_name ON t (name)');
			storage.sql.exec("INSERT INTO t (name) VALUES (?), ('two')", 'one');
			return storage.sql.exec('UPDATE t SET name = name || ? RETURNING id, name', '!').toArray();
		},
		told: [
			{ id: 1, name: 'one!' },
			{ id: 2, name: 'two!' },
		],
	},
	{
		title: 'a transaction that throws leaves nothing',
		run(storage) {
			try {
				storage.transactionSync(() => {
					storage.sql.exec('DELETE FROM t');
					storage.kv.put('a', 'changed');
					throw new Error('no');
				});
			} catch (error) {
				return [String(error), storage.sql.exec('SELECT count(*) AS n FROM t').one(), storage.kv.get('a')];
			}
		},
		told: ['Error: no', { n: 2 }, 1],
	},
	{
		title: 'an alarm is the last that was set, and none after it is deleted',
		async run(storage) {
			await storage.setAlarm(AT);
			await storage.setAlarm(AT + 1);
			const set = await storage.getAlarm();
			await storage.deleteAlarm();
			return [set, await storage.getAlarm()];
		},
		told: [AT + 1, null],
	},
];

const isRefused = async (work: Promise<unknown>): Promise<boolean> =>
	work.then(
		() => false,
		() => true,
	);

export const D1_CALLS: readonly PlatformCall<D1Database>[] = [
	{
		title: 'a change says how many rows it changed',
		run: async (d1) =>
			(await d1.prepare("INSERT INTO network_settings (name, send, receive) VALUES ('Litecoin', 1, 0)").run()).meta
				.changes,
		told: 1,
	},
	{
		title: 'a batch that fails leaves nothing',
		run: async (d1) => {
			const insert = (name: string) =>
				d1.prepare('INSERT INTO network_settings (name, send, receive) VALUES (?, 1, 1)').bind(name);
			const refused = await isRefused(d1.batch([insert('Solana'), insert('Litecoin')]));
			return [refused, (await d1.prepare('SELECT name FROM network_settings').all()).results];
		},
		told: [true, [{ name: 'Litecoin' }]],
	},
	{
		title: 'columns of one name are apart in a raw answer',
		run: (d1) => d1.prepare("SELECT 'one' AS name, 'two' AS name, NULL AS nil").raw(),
		told: [['one', 'two', null]],
	},
	{
		title: 'the first row is null where there is none',
		run: (d1) => d1.prepare("SELECT name FROM network_settings WHERE name = 'none'").first(),
		told: null,
	},
];
