/**
 * Does the file of an hour hold, and is what one is owed in it? Each fault has a name. It takes files and keys that its reader
 * trusts, and believes nothing else (book: solvency, "What is checked"). Pure, but for WebCrypto.
 */
import { HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { HeadStatement } from '../../ports/heads.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import type { DebtRoot, OwnFile, SolvencyFile, SolvencyStatement } from '../../ports/solvency.ts';
import { PromiseError } from '../../sdk/errors.ts';
import { verifyStatement } from '../../sdk/verify-promise.ts';
import { blindedId, climbed, digestOf, isAmount, isDigest, leafNode } from './tree.ts';

/** By so much the clocks of those who make a report and sign it may differ, and so long it may take. */
const APART_MILLISECONDS = 600_000;

export type SolvencyFault =
	| { readonly is: 'malformed'; readonly what: string }
	/** `why`: the words of `PromiseError`. */
	| { readonly is: 'head-wrong'; readonly position: number; readonly why: string }
	| { readonly is: 'head-of-other' }
	/** The hour that it says is not that of its time. `at`: ISO. */
	| { readonly is: 'other-time'; readonly position: number; readonly at: string }
	| { readonly is: 'unchained'; readonly position: number }
	| { readonly is: 'forked'; readonly position: number }
	| { readonly is: 'set-back'; readonly position: number; readonly known: number }
	| { readonly is: 'unconnected'; readonly known: number }
	| { readonly is: 'reserves-of-other' }
	| { readonly is: 'other-hour'; readonly own: number; readonly number: number }
	| {
			readonly is: 'doubled' | 'sum-negative' | 'path-malformed' | 'left-out';
			readonly asset: string;
			readonly id: string;
	  }
	| { readonly is: 'sum-wrong'; readonly asset: string; readonly said: string; readonly found: string };

export interface TrustedKeys {
	readonly trusted: readonly string[];
	readonly published: Parameters<typeof verifyStatement>[2]['published'];
}

/** A file’s statement, null where it cannot be read, and all that is wrong. */
export interface Verified {
	readonly statement: SolvencyStatement | null;
	readonly faults: readonly SolvencyFault[];
}

/** `since`: a head that its reader has kept from an earlier file, which must be in the chain. */
export async function verifyFile(
	file: SolvencyFile,
	keys: TrustedKeys,
	since: SignedStatement | null,
): Promise<Verified> {
	const statement = statementIn(file);
	if (!statement) return { statement: null, faults: [{ is: 'malformed', what: 'the file' }] };
	const { heads, faults } = await readHeads(file.heads, keys);
	const own = heads.at(-1);
	const isOfIt =
		own?.kind === 'solvency' && own.position === statement.number && own.digest === digestOf(file.statement);
	return {
		statement,
		faults: [
			...faults,
			...(isOfIt ? [] : [{ is: 'head-of-other' } as const]),
			...timeFaults(statement, heads),
			...chainFaults(file.heads, heads),
			...(since ? await sinceFaults(file.heads, heads, since, keys) : []),
			...(digestOf(JSON.stringify(file.reserves)) === statement.reserves ? [] : [{ is: 'reserves-of-other' } as const]),
		],
	};
}

function statementIn(file: SolvencyFile): SolvencyStatement | null {
	try {
		const { type, statement, heads, reserves } = file;
		const read = JSON.parse(statement) as SolvencyStatement;
		const isWhole =
			type === 'partner-exchange/solvency-file/1' &&
			read.type === 'partner-exchange/solvency/1' &&
			[heads, reserves, read.debts, read.unshown].every(Array.isArray) &&
			heads.every((head) => typeof head?.statement === 'string') &&
			read.debts.every(({ asset, hash, sum }) => typeof asset === 'string' && isDigest(hash) && isAmount(sum)) &&
			new Set(read.debts.map(({ asset }) => asset)).size === read.debts.length;
		return isWhole ? read : null;
	} catch {
		return null;
	}
}

async function readHeads(signed: readonly SignedStatement[], keys: TrustedKeys) {
	const heads: (HeadStatement | null)[] = [];
	const faults: SolvencyFault[] = [];
	for (const [position, head] of signed.entries()) {
		try {
			heads.push(await verifyStatement<HeadStatement>(head, 'partner-exchange/head/1', keys));
		} catch (error) {
			if (!(error instanceof PromiseError)) throw error;
			heads.push(null);
			faults.push({ is: 'head-wrong', position, why: error.message });
		}
	}
	return { heads, faults };
}

/** A report belongs to one hour: else many of one hour would be signed ahead, each for another reader. */
function timeFaults({ number, at }: SolvencyStatement, heads: readonly (HeadStatement | null)[]): SolvencyFault[] {
	const told: SolvencyFault[] =
		Math.floor(Date.parse(at) / HOUR_MILLISECONDS) === number ? [] : [{ is: 'other-time', position: number, at }];
	const others = heads.filter((head) => {
		const since = head ? head.at * 1000 - head.position * HOUR_MILLISECONDS : 0;
		return since < -APART_MILLISECONDS || since > HOUR_MILLISECONDS + APART_MILLISECONDS;
	});
	return [
		...told,
		...others.flatMap((head): SolvencyFault[] =>
			head ? [{ is: 'other-time', position: head.position, at: isoTime(head.at * 1000) }] : [],
		),
	];
}

/** Each head goes on from the one before it: no hour was taken back, and none has two. */
function chainFaults(signed: readonly SignedStatement[], heads: readonly (HeadStatement | null)[]): SolvencyFault[] {
	return heads.flatMap((head, i): SolvencyFault[] => {
		const [before, text] = [heads[i - 1], signed[i - 1]?.statement];
		if (!head || !before || text === undefined) return [];
		const { position } = head;
		if (position === before.position && head.digest !== before.digest) return [{ is: 'forked', position }];
		const isNext = head.previous === digestOf(text) && position >= before.position && head.at >= before.at;
		return isNext ? [] : [{ is: 'unchained', position }];
	});
}

async function sinceFaults(
	signed: readonly SignedStatement[],
	heads: readonly (HeadStatement | null)[],
	since: SignedStatement,
	keys: TrustedKeys,
): Promise<SolvencyFault[]> {
	const { heads: read, faults } = await readHeads([since], keys);
	const [known] = read;
	if (!known) return faults;
	if (signed.some(({ statement }) => statement === since.statement)) return [];
	const newest = heads.at(-1);
	if (newest && newest.position < known.position)
		return [{ is: 'set-back', position: newest.position, known: known.position }];
	const other = heads.find((head) => head && (head.position === known.position || head.previous === known.previous));
	return [other ? { is: 'forked', position: known.position } : { is: 'unconnected', known: known.position }];
}

/** Base units, by asset, that a creditor’s own file proves to be owed to them. */
export interface VerifiedOwn {
	readonly owed: ReadonlyMap<string, bigint>;
	readonly faults: readonly SolvencyFault[];
}

export function verifyOwn(own: OwnFile, { number, debts }: SolvencyStatement): VerifiedOwn {
	if (own?.type !== 'partner-exchange/own-debts/1' || !Array.isArray(own.debts) || !isDigest(own.secret))
		return { owed: new Map(), faults: [{ is: 'malformed', what: 'the own file' }] };
	if (own.number !== number) return { owed: new Map(), faults: [{ is: 'other-hour', own: own.number, number }] };
	const owed = new Map<string, bigint>();
	const faults: SolvencyFault[] = [];
	for (const debt of own.debts.map((each): OwnFile['debts'][number] => Object(each))) {
		const fault = debtFault(own, debt, debts);
		if (fault) faults.push(fault);
		else if (owed.has(debt.asset)) faults.push({ is: 'doubled', asset: debt.asset, id: own.id });
		else owed.set(debt.asset, BigInt(debt.amount));
	}
	return { owed, faults };
}

function debtFault(
	{ number, creditor, id, secret }: OwnFile,
	{ asset, amount, path }: OwnFile['debts'][number],
	roots: readonly DebtRoot[],
): SolvencyFault | null {
	if (!isAmount(amount) || !Array.isArray(path)) return { is: 'path-malformed', asset, id };
	const leaf = { id: blindedId({ number, asset, creditor, id, secret }), amount: BigInt(amount) };
	const found = climbed(leafNode(asset, leaf), path);
	if (found === 'malformed') return { is: 'path-malformed', asset, id };
	if (typeof found === 'string') return { is: found, asset, id };
	const root = roots.find((each) => each.asset === asset);
	if (found.hash !== root?.hash) return { is: 'left-out', asset, id };
	return found.sum === root.sum ? null : { is: 'sum-wrong', asset, said: root.sum, found: found.sum };
}
