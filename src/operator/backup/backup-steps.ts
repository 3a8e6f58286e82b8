/**
 * The steps of a backup, which the command line takes one after the other. Everything is of one moment: from the first
 * step on D1 refuses every write (`backup/hold.ts`), no agent polls, and the signer signs nothing.
 *
 * D1 is held before the signer is. So the journal knows at least every signature that D1 knows. What it knows beyond
 * that is safe: asked again, the signer answers with the same transaction. An agent's position is read after D1 is held:
 * it stands for nothing that D1 does not have, because a poll stores it only after what it found.
 */
import * as z from 'zod/mini';
import { writeAudit } from '../../audit/log.ts';
import { countTables, readTable } from '../../backup/database.ts';
import { beginBackupHold, currentHold, endBackupHold, leaseUntil, renewBackupHold } from '../../backup/hold.ts';
import { type Header, headerLine, newHeader, readHeader } from '../../backup/sealed.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { objectNamed } from '../../platform/region.ts';
import { isoTime } from '../../platform/time.ts';
import type { AgentCopy } from '../../ports/chain-agent.ts';
import type { JournalPlace } from '../../ports/copy.ts';
import { type Context, type Failure, fail } from '../command.ts';
import { keeperOf, numbersOf, type OperatorEnv } from '../env.ts';
import { type Manifest, type Piece, sum } from './contents.ts';
import { deploymentFacts } from './manifest.ts';
import { step } from './step.ts';

const header = z.pipe(
	z.string(),
	z.transform((line, { issues }) => {
		const read = readHeader(line);
		if (!read) issues.push({ code: 'custom', message: 'is not the first line of a backup', input: line });
		return read ?? ({ id: '', keyNumber: 0, salt: '', deployment: '' } satisfies Header);
	}),
);

/** The next thing to read: a place in one of the stores, in this order. */
const cursor = z.strictObject({
	store: z.enum(['database', 'journal', 'agents']),
	place: z.nullable(
		z.strictObject({
			table: z.int(),
			after: z.nullable(z.array(z.nullable(z.string()))),
			volume: z._default(z.int(), 0),
		}),
	),
});
type Cursor = z.infer<typeof cursor>;

const FIRST: Cursor = { store: 'database', place: null };

const holdAll = async (env: OperatorEnv, until: number): Promise<void> => {
	await Promise.all(NETWORK_NAMES.map((network) => objectNamed(env, env.CHAIN_AGENT, network).hold(until)));
	await env.SIGNER.hold(until);
};

const begin = step(z.strictObject({}), async ({ env, now }) => {
	const made = newHeader(numbersOf(env, 'SEAL_KEY'));
	const facts = await env.SIGNER.restored();
	const hold = await currentHold(env.DB);
	if (hold?.purpose === 'restore') return fail(409, 'a restore has begun and not ended: run it again first');
	if (!(await beginBackupHold(env.DB, made.id, now)))
		return fail(409, `another backup is under way, at most until ${isoTime(leaseUntil(hold?.until ?? now))}`);
	await holdAll(env, leaseUntil(now));
	return { header: headerLine(made), at: now, next: FIRST, restoredFrom: facts?.backupAt ?? null };
});

/** Every step holds everything for another minute. */
async function renewed({ env, now }: Context, { id }: Header): Promise<Failure | null> {
	if (!(await renewBackupHold(env.DB, id, now)))
		return fail(409, 'the backup took too long between two steps, so the service went on: start it again');
	await holdAll(env, leaseUntil(now));
	return null;
}

const page = step(z.strictObject({ header, piece: z.int().check(z.minimum(1)), cursor }), async (context, input) => {
	const over = await renewed(context, input.header);
	if (over) return over;
	const { env } = context;
	const { piece, next } = await read(env, input.cursor);
	const line = await keeperOf(env).sealPiece(input.header, input.piece, JSON.stringify(piece));
	return { line, next };
});

async function read(env: OperatorEnv, { store, place }: Cursor): Promise<{ piece: Piece; next: Cursor | null }> {
	switch (store) {
		case 'database': {
			const found = await readTable(env.DB, place);
			if (!found) return read(env, { store: 'journal', place: null });
			return { piece: { store, page: found.page }, next: { store, place: mutable(found.next) } };
		}
		case 'journal': {
			const found = await env.SIGNER.readJournal(place);
			const next: Cursor = found.next ? { store, place: mutable(found.next) } : { store: 'agents', place: null };
			return { piece: { store, page: found.page }, next };
		}
		case 'agents':
			return { piece: { store, agents: await agentsOf(env) }, next: null };
		default:
			return store satisfies never;
	}
}

const mutable = (place: JournalPlace | null): Cursor['place'] =>
	place && { table: place.table, after: place.after && [...place.after], volume: place.volume ?? 0 };

async function agentsOf(env: OperatorEnv): Promise<Record<string, AgentCopy>> {
	const each = NETWORK_NAMES.map(async (network) => [network, await objectNamed(env, env.CHAIN_AGENT, network).copy()]);
	return Object.fromEntries(await Promise.all(each));
}

const end = step(
	z.strictObject({ header, at: z.int(), pieces: z.int().check(z.minimum(1)), digest: z.string().check(z.length(64)) }),
	async (context, { header: made, at, pieces, digest }) => {
		const over = await renewed(context, made);
		if (over) return over;
		const { env } = context;
		const [facts, database, agents] = await Promise.all([deploymentFacts(env), countTables(env.DB), agentsOf(env)]);
		const nextIndexes = Object.fromEntries(Object.entries(agents).map(([name, { nextIndex }]) => [name, nextIndex]));
		const manifest: Manifest = { at, pieces, digest, ...facts, database, nextIndexes };
		const line = await keeperOf(env).sealPiece(made, 'end', JSON.stringify(manifest));
		await release(env, made.id);
		const changes = { id: made.id, pieces, rows: sum(database), journal: sum(facts.journal) };
		await writeAudit(context, { command: 'backup', subject: null, changes });
		return { line, rows: sum(database), journal: sum(facts.journal) };
	},
);

/** The service goes on. The other way round than `begin`: the signer first, D1 last. */
async function release(env: OperatorEnv, id: string): Promise<void> {
	if ((await currentHold(env.DB))?.backupId !== id) return;
	await holdAll(env, 0);
	await endBackupHold(env.DB, id);
}

/** For a command line that cannot go on: the service need not wait until the hold ends by itself. */
const breakOff = step(z.strictObject({ header }), async ({ env }, { header: made }) => {
	await release(env, made.id);
	return {};
});

const NO_BUCKET = 'no R2 bucket is bound as BACKUPS: see the book, or write to a file';
const object = {
	name: z.string().check(z.regex(/^[\w.-]{1,100}$/, 'is no name of a backup')),
	number: z.int().check(z.minimum(0)),
};
const keyOf = ({ name, number }: { readonly name: string; readonly number: number }) =>
	`${name}/${String(number).padStart(9, '0')}`;

/** One line into the bucket. Written once: a name that exists is refused. */
const keep = step(z.strictObject({ ...object, line: z.string() }), async ({ env }, { line, ...place }) => {
	if (!env.BACKUPS) return fail(409, NO_BUCKET);
	const made = await env.BACKUPS.put(keyOf(place), line, { onlyIf: { etagDoesNotMatch: '*' } });
	return made ? {} : fail(409, `${place.name} exists in the bucket; choose a new name`);
});

const kept = step(z.strictObject(object), async ({ env }, place) => {
	if (!env.BACKUPS) return fail(409, NO_BUCKET);
	return { line: (await (await env.BACKUPS.get(keyOf(place)))?.text()) ?? null };
});

export const BACKUP_STEPS = { begin, page, end, 'break-off': breakOff, keep, kept };
