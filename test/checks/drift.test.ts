/** The book's table of reserves that lean is what the simulation finds; `npm run simulate:drift` prints it again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driftRows } from '../simulate/drift.ts';

it('the book says how long a reserve lasts, and what the house earns, as the simulation finds it', () => {
	const chapter = readFileSync(join(import.meta.dirname, '../../src/docs/book/networks.md'), 'utf8');
	expect(chapter).toContain(driftRows().join('\n'));
});
