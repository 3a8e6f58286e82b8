/**
 * How many entries the journal has: one more with whatever it would be dangerous to forget. The networks' agents remember
 * the number, where nobody can set it back together with the journal.
 */
import type { JournalMark } from '../../ports/cosigner.ts';
import { JournalPart } from './part.ts';

/** Added when an older journal goes on. No signer writes so many entries that nobody has heard of. */
const GAP = 1_000_000_000;

export class Entries extends JournalPart {
	number(): number {
		return this.first<{ number: number | null }>('SELECT max(number) AS number FROM entries')?.number ?? 0;
	}

	/** A restored journal began when the one of its backup did. */
	begunAt(): number {
		return this.first<{ begunAt: number | null }>('SELECT max(begun_at) AS begunAt FROM entries')?.begunAt ?? 0;
	}

	mark(): JournalMark {
		return { begunAt: this.begunAt(), entries: this.number() };
	}

	/** From now on its number is above all that anybody can remember of earlier journals. */
	skip(remembered: number): void {
		this.rows('UPDATE entries SET number = max(number, ?) + ?', remembered, GAP);
	}
}

/** Only in the turn that writes the entry. Returns its number. */
export const countEntry = (sql: SqlStorage): number =>
	sql.exec<{ number: number }>('UPDATE entries SET number = number + 1 RETURNING number').one().number;
