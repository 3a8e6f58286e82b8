/**
 * Backup and restore of the journal. A hold stops every write, so all pages of a backup are of one moment. A restore
 * fills an empty journal, and holds the signer until it has ended: half a journal signs nothing.
 */
import { readPage, rowsIn, writePage } from '../backup/object-storage.ts';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import type { World } from '../chains/configuration.ts';
import { log } from '../platform/log.ts';
import type { JournalFacts, JournalPage, JournalPlace, JournalState, ReadJournal, RestoreEnd } from '../ports/copy.ts';
import { gapOf } from '../treasury/addresses/counter-gap.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { Journal } from './journal/journal.ts';
import { takenSteps } from './journal/schema/steps.ts';
import type { Volumes } from './journal/volumes.ts';
import { WORLD_KEY } from './journal/world.ts';
import { scopeOf } from './new-addresses.ts';
import { isMarkOfRestore, type Restored } from './restored.ts';

const HELD = 'heldUntil';
const RESTORING = 'restoring';
const RESTORED_FROM = 'restoredFrom';
/** The copy of a signer that has made addresses and signed nothing. */
const OF_ADDRESSES =
	/^(?:indexes|addresses|entries|audit_links|heads|payout_addresses|confirmations|confirmed_moves|book_.+)$/;
const STEPS = 'schema_steps';

const isLeftOut = (name: string): boolean => [HELD, RESTORING, RESTORED_FROM].includes(name) || isMarkOfRestore(name);

export class JournalCopy {
	readonly #storage: DurableObjectStorage;
	readonly #journal: Journal;
	readonly #restored: Restored | null;

	/** `restored`: null in the co-signer, where no person confirms orders. */
	constructor(storage: DurableObjectStorage, journal: Journal, restored: Restored | null) {
		this.#storage = storage;
		this.#journal = journal;
		this.#restored = restored;
	}

	/** Why nothing is signed or written now. */
	refusal(now: number): SignerRefusal | null {
		if (this.#restoring() !== null) return { kind: 'restoring' };
		return (this.#storage.kv.get<number>(HELD) ?? 0) > now ? { kind: 'held' } : null;
	}

	hold(until: number): void {
		this.#storage.kv.put(HELD, until);
	}

	/** @throws where a volume does not answer */
	async facts(volumes: Volumes): Promise<JournalFacts> {
		const world = this.#storage.kv.get<World>(WORLD_KEY) ?? null;
		return { step: takenSteps(this.#storage), world, rows: await this.#rows(volumes) };
	}

	async #rows(volumes: Volumes): Promise<JournalFacts['rows']> {
		const numbers = volumes.all().map(({ number }) => number);
		const older = (await volumes.each((volume) => volume.rows())).flatMap((rows, i) =>
			Object.entries(rows).map(([table, count]) => [`journal-${numbers[i]}.${table}`, count]),
		);
		return { ...rowsIn(this.#storage), ...Object.fromEntries(older) };
	}

	/** Nothing but its size is known of a journal that is too new for this version. */
	state(): Omit<JournalState, 'volumes'> {
		const { refusal, entries } = this.#journal;
		return { begunAt: refusal ? 0 : entries.begunAt(), bytes: this.#storage.sql.databaseSize };
	}

	/** The journal itself, then each volume. @throws where one does not answer */
	async read(place: JournalPlace | null, volumes: Volumes): Promise<ReadJournal> {
		const volume = place?.volume ?? 0;
		const { page, next } =
			place === null || volume === 0
				? readPage(this.#storage, place, isLeftOut)
				: await volumes.ask(volume, (asked) => asked.read(place));
		const later = volumes.all().find(({ number }) => number > volume);
		const beyond = later ? { table: 0, after: null, volume: later.number } : null;
		return { page: { ...page, volume }, next: next ? { ...next, volume } : beyond };
	}

	/**
	 * Atomic: one synchronous turn. The counters of the empty journal are thrown away with its addresses: none was ever
	 * shown, because D1 has no order. False also where there is a volume: a journal before this one has filled it.
	 */
	async begin(backupId: string, volumes: Volumes): Promise<boolean> {
		const first = await volumes.ask(1, (volume) => volume.state());
		return (first.takes === 0 || first.isRestoring) && this.#begin(backupId);
	}

	#begin(backupId: string): boolean {
		const restoring = this.#restoring();
		if (restoring === backupId || this.#storage.kv.get(RESTORED_FROM) === backupId) return true;
		const tables = Object.entries(rowsIn(this.#storage)).filter(([table]) => table !== STEPS);
		const hasSigned = tables.some(([table, rows]) => rows > 0 && !OF_ADDRESSES.test(table)) || this.#hasPromised();
		if (restoring === null && hasSigned) return false;
		this.#storage.transactionSync(() => {
			this.#storage.kv.put(RESTORING, backupId);
			for (const [table] of tables) this.#storage.sql.exec(`DELETE FROM "${table}"`);
		});
		return true;
	}

	/** A promise is a signature too: who has one must find it kept. */
	#hasPromised(): boolean {
		const promised = 'SELECT 1 FROM addresses WHERE promised IS NOT NULL LIMIT 1';
		return this.#storage.sql.exec(promised).toArray().length > 0;
	}

	async write(backupId: string, page: JournalPage, volumes: Volumes): Promise<void> {
		if (this.#restoring() !== backupId) throw new Error(`no restore of ${backupId} is under way`);
		if (page.volume) return volumes.ask(page.volume, (volume) => volume.write(backupId, page));
		this.#storage.transactionSync(() => writePage(this.#storage, page));
	}

	/**
	 * Atomic: one transaction raises every counter by a gap, which no earlier signer has crossed, and marks the journal
	 * as restored. Only then the signer is free. The co-signer has no counters, and no mark.
	 */
	async end(backupId: string, end: RestoreEnd, volumes: Volumes): Promise<boolean> {
		if (this.#restoring() !== backupId) return this.#storage.kv.get(RESTORED_FROM) === backupId;
		const found = await this.#rows(volumes);
		if (Object.entries(end.rows).some(([table, count]) => found[table] !== count)) return false;
		await volumes.each((volume) => volume.endRestore());
		this.#free(backupId, end, Date.now());
		return true;
	}

	#free(backupId: string, { backupAt, nextIndexes }: RestoreEnd, now: number): void {
		this.#storage.transactionSync(() => {
			if (this.#restored) {
				const floors = this.#raised(nextIndexes);
				this.#restored.begin({ cause: 'restored', backupAt, restoredAt: now, floors });
			}
			// The signer cannot know who wrote these pages: persons confirm again.
			this.#storage.sql.exec('DELETE FROM confirmed_moves');
			this.#storage.kv.put(RESTORED_FROM, backupId);
			this.#storage.kv.delete(RESTORING);
			this.#storage.kv.delete(HELD);
		});
		log('journal_restored', { backupId, backupAt });
	}

	/** By network: the first index of after the restore. */
	#raised(nextIndexes: RestoreEnd['nextIndexes']): Record<string, number> {
		const { addresses } = this.#journal;
		for (const network of NETWORK_NAMES) addresses.raise(scopeOf(network), nextIndexes[network] ?? 0);
		const floors: Record<string, number> = {};
		for (const network of NETWORK_NAMES) {
			const scope = scopeOf(network);
			floors[network] = floors[scope] ??= addresses.nextIndex(scope) + gapOf(network);
			addresses.raise(scope, floors[scope] ?? 0);
		}
		return floors;
	}

	#restoring(): string | null {
		return this.#storage.kv.get<string>(RESTORING) ?? null;
	}
}
