/** The signed heads of a folder: who verifies a history from files believes these, by a key that they trust, and nothing else. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../platform/time.ts';
import type { HeadStatement, SignedHead } from '../../ports/heads.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import { PromiseError } from '../../sdk/errors.ts';
import { type PromiseKeys, verifyStatement } from '../../sdk/verify-promise.ts';
import { digestOf } from '../../treasury/solvency/tree.ts';
import { HEADS_FOLDER } from '../chained/mirrored.ts';
import { readJson, ServiceError } from './service.ts';

export interface HeadKeys {
	/** Public keys, base64. */
	readonly trusted: readonly string[];
	readonly published: PromiseKeys | null;
}

export interface FoundHeads {
	/** All that a trusted key has signed. Their numbers are their places in time. */
	readonly all: readonly SignedHead[];
	/** Those of them that lead to the newest one, the oldest first. */
	readonly chain: readonly SignedHead[];
	readonly wrong: readonly string[];
}

interface Read extends SignedHead {
	/** SHA-256 of the statement before. */
	readonly previous: string;
}

/** @throws ServiceError where there is none */
export async function headsIn(folder: string, keys: HeadKeys): Promise<FoundHeads> {
	const place = join(folder, HEADS_FOLDER);
	const names = existsSync(place) ? readdirSync(place) : [];
	const wrong: string[] = [];
	const read = await Promise.all(
		names.map(async (name): Promise<Read[]> => {
			const signed = readJson(join(place, name)) as SignedStatement;
			try {
				const head = await verifyStatement<HeadStatement>(signed, 'partner-exchange/head/1', keys);
				if (head.kind !== 'history') throw new PromiseError('malformed');
				const { at, position, digest, previous } = head;
				return [{ ...signed, number: 0, at, position, digest, previous }];
			} catch (error) {
				if (!(error instanceof PromiseError)) throw error;
				wrong.push(`${HEADS_FOLDER}${name} proves nothing: ${error.message}`);
				return [];
			}
		}),
	);
	const all = read
		.flat()
		.toSorted((a, b) => a.at - b.at)
		.map((head, i): Read => ({ ...head, number: i + 1 }));
	if (all.length === 0) throw new ServiceError(wrong[0] ?? `${place} has no signed heads`);
	const { chain, gaps } = chainOf(all);
	const missing = gaps.map(({ at }) => `a signed head is missing: the one before that of ${isoTime(at * 1000)}`);
	return { all, chain, wrong: [...wrong, ...missing] };
}

/** Back from the newest head by the digest of the one before; where that is missing, from the next older head. */
function chainOf(all: readonly Read[]): { readonly chain: readonly Read[]; readonly gaps: readonly Read[] } {
	const byDigest = new Map(all.map((head) => [digestOf(head.statement), head]));
	const followed = new Set(all.map(({ previous }) => previous));
	const [chain, gaps]: [Read[], Read[]] = [[], []];
	let next = all.findLast(({ statement }) => !followed.has(digestOf(statement)));
	while (next) {
		const head: Read = next;
		chain.unshift(head);
		if (head.previous === '') break;
		next = byDigest.get(head.previous);
		if (next) continue;
		gaps.push(head);
		next = all.findLast(({ number, at }) => number < head.number && at <= head.at);
	}
	return { chain, gaps };
}
