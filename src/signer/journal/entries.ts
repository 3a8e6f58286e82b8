/**
 * How many entries the journal has: one more with whatever it would be dangerous to forget. The networks' agents remember
 * the number, where nobody can set it back together with the journal.
 */

/** Added when an older journal goes on. No signer writes so many entries that nobody has heard of. */
const GAP = 1_000_000_000;

export class Entries {
	readonly #sql: SqlStorage;

	constructor({ sql }: DurableObjectStorage) {
		this.#sql = sql;
	}

	number(): number {
		return this.#sql.exec<{ number: number }>('SELECT coalesce(max(number), 0) AS number FROM entries').one().number;
	}

	/** Unix milliseconds; a restored journal began when the one of its backup did. */
	begunAt(): number {
		return this.#sql.exec<{ begunAt: number }>('SELECT coalesce(max(begun_at), 0) AS begunAt FROM entries').one()
			.begunAt;
	}

	/** From now on its number is above all that anybody can remember of earlier journals. */
	skip(remembered: number): void {
		this.#sql.exec('UPDATE entries SET number = max(number, ?) + ?', remembered, GAP);
	}
}

/** Only in the turn that writes the entry. */
export const countEntry = (sql: SqlStorage): void => {
	sql.exec('UPDATE entries SET number = number + 1');
};
