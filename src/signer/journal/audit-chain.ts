/**
 * The chain of the audit log. Each line of D1 that the signer sees gets a link, a SHA-256 over the line and the link before,
 * here in its journal, where SQL does not reach. A line that is changed or taken away afterwards is named, also where all
 * after it went too, or D1 was set back. Which line comes next is decided in one synchronous turn, so that callers at the
 * same time make one chain.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { asc, gt, gte, type SQL } from 'drizzle-orm';
import { auditLog } from '../../audit/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { AuditProof, AuditStep, BrokenLine } from '../../ports/audit.ts';
import { JournalPart } from './part.ts';

const PAGE = 1_000;
const MOST_NAMED = 20;

type Line = typeof auditLog.$inferSelect;

interface Link {
	readonly [column: string]: SqlStorageValue;
	readonly position: number;
	readonly number: number;
	readonly id: string;
	readonly link: string;
}

interface Judged {
	readonly [column: string]: SqlStorageValue;
	readonly position: number;
	readonly number: number;
	/** Unix milliseconds, each. */
	readonly at: number;
	readonly accepted_at: number | null;
	readonly gap_accepted_at: number | null;
	readonly before: number | null;
}

interface Broken extends BrokenLine {
	readonly position: number;
}

export class AuditChain extends JournalPart {
	readonly #isClosed: () => boolean;

	/** `isClosed`: may nothing be written now? Asked in the turn that writes: a backup holds the journal still. */
	constructor(storage: DurableObjectStorage, isClosed: () => boolean) {
		super(storage);
		this.#isClosed = isClosed;
	}

	/** Where the newest line of the chain is not in D1 as it was, nothing is chained. */
	async follow(db: Db): Promise<AuditStep> {
		for (;;) {
			if (this.#isClosed()) return 'later';
			const head = this.#newest('accepted_at IS NULL');
			const lines = await pageOf(db, gte(auditLog.number, head?.number ?? 0));
			const [first] = lines;
			if (head && (first?.id !== head.id || !this.#isAsItWas(first, head))) return 'cut';
			this.#append(lines);
			if (lines.length < PAGE) return 'moved on';
		}
	}

	/** Chains what is new too: after D1 was set back, new lines have numbers that were used. */
	async verify(db: Db): Promise<AuditProof | null> {
		if (this.#isClosed()) return null;
		const broken = await this.#broken(db);
		const { lines, since, accepted } = this.storage.sql
			.exec<{ lines: number; since: number | null; accepted: number }>(
				`SELECT count(*) AS lines, min(at) AS since,
				 count(accepted_at) + count(gap_accepted_at) AS accepted FROM audit_links`,
			)
			.one();
		const head = this.#newest('1')?.link ?? '';
		const named = broken.slice(0, MOST_NAMED).map(({ what, number, at }) => ({ what, number, at }));
		return { lines, since, wrong: broken.length, broken: named, accepted, head };
	}

	/** As `AuditedSigner.acceptAudit`. */
	async accept(db: Db, now: number): Promise<number> {
		const broken = await this.#broken(db);
		if (this.#isClosed()) return 0;
		this.storage.transactionSync(() => {
			for (const { what, position } of broken) {
				const column = what === 'gap' ? 'gap_accepted_at' : 'accepted_at';
				this.rows(`UPDATE audit_links SET ${column} = ? WHERE position = ?`, now, position);
			}
		});
		return broken.length;
	}

	/** The broken lines that no person has accepted. Lines that come meanwhile are chained and not judged. */
	async #broken(db: Db): Promise<Broken[]> {
		const judged = this.#newest('1')?.position ?? 0;
		const [seen, rewritten] = [new Set<number>(), new Set<number>()];
		for (let after: number | null = -1; after !== null; ) {
			const lines: Line[] = await pageOf(db, gt(auditLog.number, after));
			for (const line of lines) {
				const link = this.#of(line.id);
				if (!link) continue;
				seen.add(link.position);
				if (!this.#isAsItWas(line, link)) rewritten.add(link.position);
			}
			this.#append(lines);
			after = lines.length < PAGE ? null : (lines.at(-1)?.number ?? null);
		}
		const what = ({ position, accepted_at: accepted }: Judged): BrokenLine['what'] | null => {
			if (accepted !== null) return null;
			return rewritten.has(position) ? 'rewritten' : seen.has(position) ? null : 'missing';
		};
		return [...this.#judged(judged)].flatMap((link): Broken[] => {
			const { position, number, at, before, gap_accepted_at: accepted } = link;
			const found = what(link);
			const isGap = accepted === null && before !== null && number > before + 1;
			return [
				...(isGap ? [{ what: 'gap' as const, position, number, at }] : []),
				...(found ? [{ what: found, position, number, at }] : []),
			];
		});
	}

	/** `before`: the number of the line before. */
	#judged(until: number): Iterable<Judged> {
		return this.storage.sql.exec<Judged>(
			`SELECT position, number, at, accepted_at, gap_accepted_at, lag(number) OVER (ORDER BY position) AS before
			 FROM audit_links WHERE position <= ? ORDER BY position`,
			until,
		);
	}

	/** `where`: a condition in SQL. */
	#newest(where: 'accepted_at IS NULL' | '1'): Link | undefined {
		return this.first(
			`SELECT position, number, id, link FROM audit_links WHERE ${where} ORDER BY position DESC LIMIT 1`,
		);
	}

	#of(id: string): Link | undefined {
		return this.first<Link>('SELECT position, number, id, link FROM audit_links WHERE id = ?', id);
	}

	#isAsItWas(line: Line, { position, link }: Link): boolean {
		const before = this.first<{ link: string }>('SELECT link FROM audit_links WHERE position = ?', position - 1);
		return linkOf(before?.link ?? '', line) === link;
	}

	/** Atomic: one synchronous turn, in which lines that have a link already are left out. */
	#append(lines: readonly Line[]): void {
		if (this.#isClosed()) return;
		this.storage.transactionSync(() => {
			let { position, link } = this.#newest('1') ?? { position: 0, link: '' };
			for (const line of lines) {
				if (this.#of(line.id)) continue;
				position++;
				link = linkOf(link, line);
				const row = [position, line.number, line.id, line.at, link];
				this.rows('INSERT INTO audit_links (position, number, id, at, link) VALUES (?, ?, ?, ?, ?)', ...row);
			}
		});
	}
}

const pageOf = (db: Db, where: SQL): Promise<Line[]> =>
	db.select().from(auditLog).where(where).orderBy(asc(auditLog.number)).limit(PAGE);

/** A JSON array of all columns and the link before: no two different lines share a text. */
function linkOf(before: string, { number, id, at, command, subject, changes, actor }: Line): string {
	const text = JSON.stringify([before, number, id, at, command, subject, changes, actor]);
	return hex.encode(sha256(new TextEncoder().encode(text)));
}
