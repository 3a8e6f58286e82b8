/** What a start keeps from the last one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KEPT_FOLDER, kept } from '../../src/local/kept.ts';

describe('what is made of files and kept', () => {
	const folder = mkdtempSync(join(tmpdir(), 'kept-'));
	const name = `test-${process.pid}`;
	const path = join(KEPT_FOLDER, `${name}.json`);
	const [file, added] = [join(folder, 'a'), join(folder, 'b')];
	let times = 0;
	const ask = () => kept(name, async () => ({ value: ++times, from: [folder, file, added] }));
	afterAll(() => {
		rmSync(folder, { recursive: true });
		rmSync(path, { force: true });
	});

	it('is made once, and again where a file changed, came, went, or the kept one cannot be read', async () => {
		writeFileSync(file, 'first');
		expect([await ask(), await ask()]).toEqual([1, 1]);
		writeFileSync(file, 'changed');
		expect([await ask(), await ask()]).toEqual([2, 2]);
		writeFileSync(added, '');
		expect([await ask(), await ask()]).toEqual([3, 3]);
		rmSync(added);
		expect([await ask(), await ask()]).toEqual([4, 4]);
		writeFileSync(path, '{"from": [');
		expect([await ask(), await ask()]).toEqual([5, 5]);
	});
});
