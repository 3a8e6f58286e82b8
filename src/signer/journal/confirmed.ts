/**
 * The moves that persons have confirmed with a passkey. They stand in the journal, which is not set back with D1, so a
 * signature of theirs counts once. Each method is one synchronous turn.
 */
import { type Move, moveText } from '../../treasury/moves.ts';
import { JournalPart } from './part.ts';

export interface Confirmed {
	readonly nonce: string;
	readonly moves: readonly Move[];
	/** The moment, and its UTC day. */
	readonly at: number;
	readonly day: string;
	/** How many persons, and the US cents that they confirmed. */
	readonly persons: number;
	readonly usdCents: number;
}

export class ConfirmedMoves extends JournalPart {
	isTaken(nonce: string): boolean {
		return this.has('SELECT 1 FROM confirmations WHERE nonce = ?', nonce);
	}

	take({ nonce, moves, at, day, persons, usdCents }: Confirmed): void {
		this.storage.transactionSync(() => {
			this.rows('INSERT INTO confirmations VALUES (?, ?, ?, ?, ?)', nonce, at, day, persons, usdCents);
			for (const move of moves)
				this.rows('INSERT INTO confirmed_moves VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = ?2', moveText(move), at);
		});
	}

	/** When it was confirmed last; null where it never was. */
	confirmedAt(move: Move): number | null {
		return this.first<{ at: number }>('SELECT at FROM confirmed_moves WHERE move = ?', moveText(move))?.at ?? null;
	}

	/** US cents that one person alone has confirmed on a UTC day. */
	byOneOn(day: string): number {
		const query = 'SELECT coalesce(sum(usd_cents), 0) AS cents FROM confirmations WHERE day = ? AND persons = 1';
		return this.first<{ cents: number }>(query, day)?.cents ?? 0;
	}
}
