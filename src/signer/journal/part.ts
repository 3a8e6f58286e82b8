/** A part of the journal: reads and writes its tables in the vault's storage. */
import { Stored } from '../../platform/stored.ts';

type Row = Record<string, SqlStorageValue>;

export class JournalPart extends Stored {
	/** Also for a statement that only writes. */
	protected rows<Found extends Row>(query: string, ...values: readonly SqlStorageValue[]): Found[] {
		return this.storage.sql.exec<Found>(query, ...values).toArray();
	}

	protected first<Found extends Row>(query: string, ...values: readonly SqlStorageValue[]): Found | undefined {
		return this.rows<Found>(query, ...values)[0];
	}

	protected has(query: string, ...values: readonly SqlStorageValue[]): boolean {
		return this.storage.sql.exec(query, ...values).next().done !== true;
	}
}
