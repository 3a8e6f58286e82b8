/**
 * The steps of a restore, which the command line takes one after the other. `begin` refuses before it writes anything:
 * a backup that was not made by this deployment, that was altered, or a deployment that is not empty.
 *
 * Nothing serves while a restore has begun and not ended: D1 refuses every write but the restore's own, the signer signs
 * nothing, and no agent polls. A restore that was broken off goes on where it was, with the same file. Each piece is
 * written once: D1 counts the pieces in the batch that writes them; the journal ignores rows that it has.
 */
import * as z from 'zod/mini';
import { writeAudit } from '../../audit/log.ts';
import { countTables, insertStatements } from '../../backup/database.ts';
import { beginRestoreHold, currentHold, endRestoreHold, holdIsSealed, writeHeld } from '../../backup/hold.ts';
import { type Header, readHeader } from '../../backup/sealed.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { objectNamed } from '../../platform/region.ts';
import { isoTime } from '../../platform/time.ts';
import { type Failure, fail, isFailure } from '../command.ts';
import { keeperOf, numbersOf, type OperatorEnv } from '../env.ts';
import { contentsOf, isWhole, type Manifest, manifestSchema, type Piece } from './contents.ts';
import { mismatch, otherVersion, wrongKeys } from './manifest.ts';
import { step } from './step.ts';

/** The end of ECMAScript's time. */
const FOREVER = 8_640_000_000_000_000;

/** The first and the last line of the file, and the digest of all but the last. */
const ends = { header: z.string(), manifest: z.string() };

const HOLD_CHANGED =
	'somebody has changed the triggers that this restore keeps in `holds`: restore into a new database; nothing of theirs was executed';

interface Opened {
	readonly header: Header;
	readonly manifest: Manifest;
}

const named = (deployment: string): string =>
	deployment === '' ? 'a deployment without a name' : `the deployment ${deployment}`;
const RENAME =
	'where this one takes its place, give DEPLOYMENT of the API Worker and of the signer the name of that one, deploy both, and restore again';

async function opened(
	env: OperatorEnv,
	input: { readonly header: string; readonly manifest: string },
): Promise<Opened | Failure> {
	const header = readHeader(input.header);
	if (!header) return fail(400, 'this is not a backup of Partner Exchange');
	const ring = numbersOf(env, 'SEAL_KEY');
	if (header.deployment !== ring.deployment)
		return fail(409, `the backup is of ${named(header.deployment)}, and this is ${named(ring.deployment)}: ${RENAME}`);
	if (header.keyNumber !== ring.current.number && header.keyNumber !== ring.previous?.number)
		return fail(409, `the backup is sealed with SEAL_KEY number ${header.keyNumber}: set that key first`);
	const text = await keeperOf(env).openPiece(header, 'end', input.manifest);
	if (text === null)
		return fail(
			409,
			'the backup is truncated or altered, or another deployment made it: its last line does not open with this SEAL_KEY',
		);
	return { header, manifest: manifestSchema.parse(JSON.parse(text)) };
}

/** `digest`: of all lines but the last, as the command line has read them. */
const whole = z.strictObject({ ...ends, pieces: z.int(), digest: z.string() });

async function openedWhole(env: OperatorEnv, input: z.output<typeof whole>): Promise<Opened | Failure> {
	const backup = await opened(env, input);
	if (isFailure(backup) || isWhole(backup.manifest, input)) return backup;
	return fail(409, 'the backup was altered: its lines are not those that were written');
}

/** For `backup check`: what the backup is, and what must be done before it can be restored here. */
const check = step(whole, async ({ env }, input) => {
	const backup = await openedWhole(env, input);
	if (isFailure(backup)) return backup;
	const { header, manifest } = backup;
	const wrong = await wrongKeys(env, manifest);
	if (wrong) return fail(409, wrong);
	return { ...contentsOf(header, manifest), beforeRestore: await otherVersion(env, manifest) };
});

const begin = step(whole, async ({ env }, input) => {
	const backup = await openedWhole(env, input);
	if (isFailure(backup)) return backup;
	const { header, manifest } = backup;
	const wrong = (await mismatch(env, manifest)) ?? (await notEmpty(env));
	if (wrong) return fail(409, `${wrong}; nothing was written`);
	if (!(await env.SIGNER.beginRestore(header.id)))
		return fail(409, 'this signer has signed something: restore into an empty deployment; nothing was written');
	await Promise.all(NETWORK_NAMES.map((network) => objectNamed(env, env.CHAIN_AGENT, network).hold(FOREVER)));
	if ((await currentHold(env.DB))?.backupId !== header.id) await beginRestoreHold(env.DB, header.id, env.askedKeys());
	return { next: (await currentHold(env.DB))?.nextPiece ?? 1, pieces: manifest.pieces };
});

/** Why D1 is not empty; null where it is, and while a restore is under way. */
async function notEmpty(env: OperatorEnv): Promise<string | null> {
	const { DB, SIGNER } = env;
	const hold = await currentHold(DB);
	if (hold?.purpose === 'restore') return (await holdIsSealed(hold, env.askedKeys())) ? null : HOLD_CHANGED;
	if (hold) return 'a backup is under way';
	if (await SIGNER.restored()) return 'this deployment was restored already';
	const { orders = 0, transactions = 0 } = await countTables(DB);
	if (orders === 0 && transactions === 0) return null;
	return `this deployment is not empty: it has ${orders} orders and ${transactions} transactions`;
}

const write = step(
	z.strictObject({ ...ends, piece: z.int().check(z.minimum(1)), line: z.string() }),
	async ({ env }, input) => {
		const backup = await opened(env, input);
		if (isFailure(backup)) return backup;
		const { id } = backup.header;
		const hold = await currentHold(env.DB);
		if (hold?.purpose !== 'restore' || hold.backupId !== id) return fail(409, 'no restore of this backup is under way');
		if (input.piece < hold.nextPiece) return { next: hold.nextPiece };
		const text = await keeperOf(env).openPiece(backup.header, input.piece, input.line);
		if (text === null) return fail(409, `line ${input.piece + 1} of the backup does not open: it was altered`);
		const piece = JSON.parse(text) as Piece;
		if (piece.store === 'journal') await env.SIGNER.writeJournal(id, piece.page);
		if (piece.store === 'agents') await restoreAgents(env, piece.agents);
		await writeHeld(env.DB, id, input.piece, piece.store === 'database' ? insertStatements(env.DB, piece.page) : []);
		return { next: input.piece + 1 };
	},
);

async function restoreAgents(env: OperatorEnv, agents: Extract<Piece, { store: 'agents' }>['agents']): Promise<void> {
	for (const network of NETWORK_NAMES) {
		const copy = agents[network];
		if (copy) await objectNamed(env, env.CHAIN_AGENT, network).restore(copy);
	}
}

const end = step(z.strictObject(ends), async (context, input) => {
	const { env } = context;
	const backup = await opened(env, input);
	if (isFailure(backup)) return backup;
	const { header, manifest } = backup;
	const hold = await currentHold(env.DB);
	if (hold?.purpose !== 'restore' || hold.backupId !== header.id)
		return fail(409, 'no restore of this backup is under way');
	const database = await countTables(env.DB);
	const missing = Object.keys(manifest.database).filter((table) => database[table] !== manifest.database[table]);
	if (hold.nextPiece !== manifest.pieces + 1 || missing.length > 0)
		return fail(409, `rows are missing in ${missing.join(', ') || 'the last pieces'}: run restore again`);
	if (!(await holdIsSealed(hold, env.askedKeys()))) return fail(409, HOLD_CHANGED);
	const { at: backupAt, nextIndexes, journal } = manifest;
	if (!(await env.SIGNER.endRestore(header.id, { backupAt, nextIndexes, rows: journal })))
		return fail(409, 'rows are missing in the journal: run restore again');
	await endRestoreHold(env.DB, hold);
	await writeAudit(context, { command: 'restore', subject: null, changes: { id: header.id, backupAt } });
	await objectNamed(env, env.RATE_BOOK, 'book').changed();
	await Promise.all(NETWORK_NAMES.map((network) => objectNamed(env, env.CHAIN_AGENT, network).hold(0)));
	return { backupAt: isoTime(backupAt), orders: database['orders'] ?? 0, transactions: database['transactions'] ?? 0 };
});

export const RESTORE_STEPS = { check, begin, write, end };
