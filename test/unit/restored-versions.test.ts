/** After a restore the journal may lack the newest version of a payment: a person looks before another one is made. */
import { expect, it } from 'vitest';
import { Restored } from '../../src/signer/restored.ts';

const [BACKUP, RESTORED] = [1_000, 2_000];

function restored(): Restored {
	const kept = new Map<string, unknown>();
	const kv = {
		get: (name: string) => kept.get(name),
		put: (name: string, value: unknown) => kept.set(name, value),
		list: () => [],
	};
	const made = new Restored({ kv } as unknown as DurableObjectStorage);
	made.begin({ cause: 'restored', backupAt: BACKUP, restoredAt: RESTORED, floors: {} });
	return made;
}

it('of an order whose payment was signed before the restore, until it is confirmed', () => {
	const mark = restored();
	const refusal = { kind: 'restored-order', orderId: 'order', backupAt: BACKUP };
	expect(mark.versionRefusal('order', RESTORED)).toEqual(refusal);
	expect(mark.versionRefusal('order', RESTORED + 1)).toBeNull();
	mark.clearOrders(['order'], RESTORED + 2);
	expect(mark.versionRefusal('order', RESTORED)).toBeNull();
	expect(mark.versionRefusal('other', RESTORED)).toMatchObject({ orderId: 'other' });
});

it('of what belongs to no order, until all of it is confirmed at once', () => {
	const mark = restored();
	expect(mark.versionRefusal('', RESTORED)).toEqual({ kind: 'restored', backupAt: BACKUP });
	mark.confirm(RESTORED + 1);
	expect(mark.versionRefusal('', RESTORED)).toBeNull();
});
