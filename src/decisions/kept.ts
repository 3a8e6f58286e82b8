/**
 * The operator's decisions, in the storage of RateBook, where setting back D1 does not reach. Only a command of the
 * operator writes here. Each method is one synchronous turn.
 */
import { Stored } from '../platform/stored.ts';
import type { Decided, DecidedTable, Fields } from './rules.ts';

const DECIDED = 'decided ';
const REVISION = 'decidedRevision';

export class KeptDecisions extends Stored {
	decide({ table, name, fields }: Decided): void {
		const key = `${DECIDED}${table} ${name}`;
		this.storage.kv.put(key, { ...this.storage.kv.get<Fields>(key), ...fields });
	}

	all(): Decided[] {
		return [...this.storage.kv.list<Fields>({ prefix: DECIDED })].map(([key, fields]) => {
			const [, table = '', ...name] = key.split(' ');
			return { table: table as DecidedTable, name: name.join(' '), fields };
		});
	}

	/** The revision of all settings that D1 had last. A lower one was set back. */
	revision(): number {
		return this.storage.kv.get<number>(REVISION) ?? 0;
	}

	saw(revision: number): void {
		if (revision !== this.revision()) this.storage.kv.put(REVISION, revision);
	}
}
