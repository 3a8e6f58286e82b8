/**
 * The journal's schema, in numbered steps. To change the schema, add a file `0002.ts` with SQL text and name it in the
 * list; never edit a step that was released. The journal stores each step that it has taken.
 *
 * Atomic: a step's SQL and its number are one transaction of the object's storage.
 */
import type { SignerRefusal } from '../../../treasury/signer-refusal.ts';
import { STEP_1 } from './0001.ts';

const STEPS: readonly string[] = [STEP_1];

/**
 * Takes the steps that this journal has not taken yet. Returns `journal-too-new` if a newer version of the signer has
 * worked on it. This version does not know what its tables mean then, so it changes nothing and signs nothing.
 */
export function takeSteps(storage: DurableObjectStorage, steps = STEPS): SignerRefusal | null {
	storage.sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY)');
	const taken = takenSteps(storage);
	if (taken > steps.length) return { kind: 'journal-too-new', step: taken, known: steps.length };
	for (const [i, sql] of steps.slice(taken).entries()) {
		storage.transactionSync(() => {
			storage.sql.exec(sql);
			storage.sql.exec('INSERT INTO schema_steps VALUES (?)', taken + i + 1);
		});
	}
	return null;
}

/** The newest step that the journal has taken; 0 before the first. */
export const takenSteps = ({ sql }: DurableObjectStorage): number =>
	sql.exec<{ taken: number }>('SELECT coalesce(max(step), 0) AS taken FROM schema_steps').one().taken;
