/** The proven headers of a network, beside its book of coins. Atomic: each step is one transaction of the storage. */
import { hex } from '@scure/base';
import type { HeaderStore } from '../headers.ts';
import type { CoinBook } from './coin-book.ts';

export const headerTable = (beside: CoinBook): HeaderStore => ({
	lastHeight() {
		const last = 'SELECT height FROM book_headers WHERE network = ?1 ORDER BY height DESC LIMIT 1';
		return beside.rows<{ height: number }>(last)[0]?.height ?? null;
	},
	at(height) {
		const found = 'SELECT header FROM book_headers WHERE network = ?1 AND height = ?2';
		const [row] = beside.rows<{ header: string }>(found, height);
		return row ? hex.decode(row.header) : null;
	},
	put(from, headers, oldest) {
		beside.write(() => {
			beside.rows('DELETE FROM book_headers WHERE network = ?1 AND height >= ?2', from);
			beside.rows('DELETE FROM book_headers WHERE network = ?1 AND height < ?2', oldest);
			const kept = headers.map((header, more) => [from + more, hex.encode(header)] as const);
			beside.rows(
				'INSERT INTO book_headers SELECT ?1, value ->> 0, value ->> 1 FROM json_each(?2)',
				JSON.stringify(kept.filter(([height]) => height >= oldest)),
			);
		});
	},
});
