/** The signer's journal in a Durable Object's storage, bare: for what only its own queries can tell. Runs in workerd. */
import { DurableObject } from 'cloudflare:workers';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { decodeReservation, encodeReservation } from '../../src/chains/reservations.ts';
import { Journal } from '../../src/signer/journal/journal.ts';

export class ProbeVault extends DurableObject {
	readonly #journal = new Journal(this.ctx.storage);

	/** `?1` counts from `from` to `from + count - 1` in the words of the spend; one each `step` milliseconds. */
	fill(network: string, words: string, from: number, count: number, at: number, step: number): void {
		this.ctx.storage.sql.exec(
			`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4)
			 INSERT INTO spends SELECT ?1, replace(?2, '#', printf('%d', ?3 + i)), 'payout ' || ?1 || ?2 || i, ?5 + i * ?6 FROM n`,
			...[network, words, from, count, at, step],
		);
	}

	raise(payoutId: string): void {
		this.ctx.storage.sql.exec("INSERT INTO versions VALUES (?, 1, 'tx', 'raw', '1', 0)", payoutId);
	}

	/** What going through the spends gives, which of the named ones are taken, and the rows that this read. */
	read(network: NetworkName, payIn: string | null, now: number, named: readonly string[]) {
		const spends = this.#journal.spends({ network, payIn, now });
		const all = [...spends].map(encodeReservation);
		const taken = named.filter((spend) => spends.has(decodeReservation(spend)));
		return { all, taken, rowsRead: spends.rowsRead };
	}
}
