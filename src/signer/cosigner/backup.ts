/**
 * Backups of the co-signer's journal in a bucket of its own account, and a restore of one. All pieces are of one moment: the journal
 * is held until the last one is read. Each is sealed as the pieces of the service's own backups are. The piece `end` is
 * written last: a backup without it is none.
 */
import { headerLine, newHeader, openPiece, readHeader, sealPiece } from '../../backup/sealed.ts';
import { type KeyRing, numbersIn } from '../../crypto/key-ring.ts';
import { DAY_MILLISECONDS, isoTime, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { JournalFacts, JournalPage, JournalPlace } from '../../ports/copy.ts';
import type { JournalCopy } from '../copy.ts';
import type { Volumes } from '../journal/volumes.ts';

const KEPT_MILLISECONDS = 31 * DAY_MILLISECONDS;
/** Objects that one backup deletes: the oldest. R2 lists so many at once. */
const MOST_DELETED = 1_000;
const END = 'end';

export interface Kept {
	readonly bucket: R2Bucket;
	/** SEAL_KEY. */
	readonly ring: KeyRing;
	readonly copy: JournalCopy;
	readonly volumes: Volumes;
}

interface Manifest extends Pick<JournalFacts, 'rows' | 'step'> {
	readonly at: number;
	readonly pieces: number;
}

const keyOf = (name: string, piece: number | typeof END): string =>
	`${name}/${piece === END ? END : String(piece).padStart(9, '0')}`;

/**
 * Under the name of its time. `hold`: stops every signature until then. @throws where two steps take more than a minute
 */
export async function backUp(kept: Kept, hold: (until: number) => Promise<void>): Promise<void> {
	const { bucket, ring, copy, volumes } = kept;
	const header = newHeader({ ...numbersIn(ring), deployment: ring.deployment });
	const at = Date.now();
	const name = isoTime(at);
	const put = async (piece: number | typeof END, what: unknown): Promise<void> => {
		const line = await sealPiece(ring, header, piece, JSON.stringify(what));
		await bucket.put(keyOf(name, piece), `${headerLine(header)}\n${line}`);
	};
	let until = Number.POSITIVE_INFINITY;
	const renew = async (): Promise<void> => {
		if (Date.now() >= until) throw new Error('the backup took too long between two steps');
		until = Date.now() + MINUTE_MILLISECONDS;
		await hold(until);
	};
	try {
		let place: JournalPlace | null = null;
		let pieces = 0;
		do {
			await renew();
			const { page, next } = await copy.read(place, volumes);
			pieces += 1;
			await put(pieces, page);
			place = next;
		} while (place);
		await renew();
		const { rows, step } = await copy.facts(volumes);
		await put(END, { at, pieces, rows, step } satisfies Manifest);
	} finally {
		await hold(0);
	}
	await deleteBefore(bucket, isoTime(at - KEPT_MILLISECONDS));
}

/** Names are times, and R2 lists by name. */
async function deleteBefore(bucket: R2Bucket, name: string): Promise<void> {
	const { objects } = await bucket.list({ limit: MOST_DELETED });
	const old = objects.map(({ key }) => key).filter((key) => key < name);
	if (old.length > 0) await bucket.delete(old);
}

/** Into an empty journal. Safe to repeat. @throws where it is not empty, or the backup is not whole, of this deployment and version */
export async function putBack({ bucket, ring, copy, volumes }: Kept, name: string): Promise<void> {
	const read = async (piece: number | typeof END): Promise<string> => {
		const text = await (await bucket.get(keyOf(name, piece)))?.text();
		if (text === undefined) throw new Error(`there is no ${keyOf(name, piece)}`);
		return text;
	};
	const [line = ''] = (await read(END)).split('\n');
	const header = readHeader(line);
	if (!header || header.deployment !== ring.deployment) throw new Error(`${name} is no backup of this deployment`);
	const open = async <What>(piece: number | typeof END): Promise<What> => {
		const [, sealed = ''] = (await read(piece)).split('\n');
		const text = await openPiece(ring, header, piece, sealed);
		if (text === null) throw new Error(`${keyOf(name, piece)} is not of this backup`);
		return JSON.parse(text) as What;
	};
	const { at, pieces, rows, step } = await open<Manifest>(END);
	if ((await copy.facts(volumes)).step !== step) throw new Error(`${name} is of another version of the code`);
	if (!(await copy.begin(header.id, volumes))) throw new Error('the journal has signed something: nothing is put back');
	for (let piece = 1; piece <= pieces; piece++) await copy.write(header.id, await open<JournalPage>(piece), volumes);
	const isWhole = await copy.end(header.id, { backupAt: at, nextIndexes: {}, rows }, volumes);
	if (!isWhole) throw new Error(`rows of ${name} are missing`);
}
