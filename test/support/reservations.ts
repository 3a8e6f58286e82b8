/** What is spent already, as a test's signer remembers it; and reservations as the journal's texts, to compare them. */
import { decodeReservation, encodeReservation, type Reservation } from '../../src/chains/reservations.ts';
import type { Spent } from '../../src/chains/signing-port.ts';

const textOf = (spend: Reservation | string): string => (typeof spend === 'string' ? spend : encodeReservation(spend));

export const textsOf = (spends: readonly Reservation[]): string[] => spends.map(encodeReservation);

export class ReservationSet implements Spent {
	readonly #texts: Set<string>;

	constructor(spends: Iterable<Reservation | string> = []) {
		this.#texts = new Set([...spends].map(textOf));
	}

	has(reservation: Reservation): boolean {
		return this.#texts.has(textOf(reservation));
	}

	add(reservation: Reservation): void {
		this.#texts.add(textOf(reservation));
	}

	delete(reservation: Reservation): void {
		this.#texts.delete(textOf(reservation));
	}

	clear(): void {
		this.#texts.clear();
	}

	*[Symbol.iterator](): Generator<Reservation, undefined> {
		for (const text of this.#texts) yield decodeReservation(text);
	}
}
