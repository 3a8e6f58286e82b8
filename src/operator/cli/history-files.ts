/**
 * `proof history`: the history from files alone, as `history verify` has it from the service. The folder has dumps of the
 * database, and what lies in the two buckets.
 */
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UnreadableArchive } from '../../archive/objects.ts';
import type { PromiseKeys } from '../../sdk/verify-promise.ts';
import { HEADS_FOLDER, nameOf } from '../chained/mirrored.ts';
import { TABLES } from '../chained/segment.ts';
import { type Verified, verifyHistory } from '../chained/verify.ts';
import type { OperatorEnv } from '../env.ts';
import { databaseIn } from './dump.ts';
import { allOfHistory } from './history.ts';
import { type FoundHeads, type HeadKeys, headsIn } from './history-heads.ts';
import type { ProofVerdict } from './proof.ts';
import type { HistoryOptions } from './proof-options.ts';
import { readJson } from './service.ts';

/** @throws ServiceError where a file cannot be read */
export async function historyInFiles({ folder, keys: trusted, published }: HistoryOptions): Promise<ProofVerdict> {
	const keys = { trusted, published: published === undefined ? null : (readJson(published) as PromiseKeys) };
	const heads = await headsIn(folder, keys);
	const { sqlite, db } = databaseIn(folder);
	const means = { env: envOf(folder, heads, keys), db, now: newestIn(sqlite) };
	try {
		return verdictOf(await allOfHistory((from) => verifyHistory(means, from)), heads.wrong);
	} catch (error) {
		if (!(error instanceof UnreadableArchive)) throw error;
		return { lines: [], wrong: [...heads.wrong, error.message], unchecked: [] };
	} finally {
		sqlite.close();
	}
}

/** Unix milliseconds: a dump says nothing of what came after it. */
function newestIn(sqlite: DatabaseSync): number {
	const times = [...TABLES, 'chained_segments'].map((table) => `SELECT max(at) AS at FROM ${table}`);
	return Number(sqlite.prepare(`SELECT max(at) AS at FROM (${times.join(' UNION ALL ')})`).get()?.['at'] ?? 0);
}

/**
 * The folder in the place of the service: its files are the buckets, and the heads are the signer's. Who reads them has no
 * key of the archive's seals; they compare each archived row with the chain all the same.
 */
function envOf(folder: string, { all, chain }: FoundHeads, { trusted, published }: HeadKeys): OperatorEnv {
	const mirrored = new Map(all.map((head) => [nameOf(head), JSON.stringify(head)]));
	const get = async (name: string) => {
		const text = mirrored.get(name);
		const bytes = name.startsWith(HEADS_FOLDER) ? (text ?? null) : fileIn(folder, name);
		return bytes && { json: async () => JSON.parse(String(bytes)), blob: async () => new Blob([bytes]) };
	};
	const bucket = {
		get,
		list: async () => ({ objects: [...mirrored.keys()].map((key) => ({ key })), truncated: false }),
	};
	const signer = {
		heads: async (_kind: string, after: number) => (after === 0 ? chain : []),
		markHead: async () => null,
		promiseKeys: async () => ({ keys: [...trusted.map((publicKey) => ({ publicKey })), ...(published?.keys ?? [])] }),
	};
	const askedKeys = () => ({ asker: { holds: async () => true } });
	return { SIGNER: signer, BACKUPS: bucket, ARCHIVE: bucket, askedKeys } as unknown as OperatorEnv;
}

/** Null where there is none, or the name leads out of the folder. */
function fileIn(folder: string, name: string): Buffer<ArrayBuffer> | null {
	if (normalize(name) !== name || name.startsWith('..')) return null;
	try {
		return readFileSync(join(folder, name));
	} catch {
		return null;
	}
}

function verdictOf(
	{ found, segments, rows, accepted, uncompared, late, chainedUntil, signedUntil }: Verified,
	wrong: readonly string[],
): ProofVerdict {
	return {
		lines: [
			`${rows} rows in ${segments} segments, chained until ${chainedUntil}, signed until ${signedUntil}.`,
			...(accepted > 0 ? [`${accepted} findings more were accepted by persons, as the signer has signed.`] : []),
		],
		wrong: [...wrong, ...found.map(({ sentence }) => sentence)],
		unchecked: [
			...(uncompared > 0 ? [`${uncompared} rows could not be compared: no file has their lines`] : []),
			...(late > 0 ? ['the newest rows are not chained, or no head of the last two hours is here'] : []),
		],
	};
}
