/**
 * Backups of the co-signer's journal: what it has signed is known again after its storage was lost, so nothing is paid twice, and
 * no backup that is not whole, of this deployment and of this journal is taken for one.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { Signed } from '../../src/ports/signer.ts';
import cosignerWorker from '../../src/signer/cosigner/index.ts';
import type { Vault } from '../../src/signer/cosigner/vault.ts';
import { isRefusal } from '../../src/signer/refusal.ts';
import {
	HOT,
	journalOf,
	newCosigner,
	payIn,
	refundOf,
	startJudges,
	TRX,
	type TwoJudges,
	wiringOf,
} from '../support/two-judges.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A bucket of R2 in memory. */
function bucketOf() {
	const objects = new Map<string, string>();
	return {
		objects,
		put: async (key: string, value: string) => void objects.set(key, value),
		get: async (key: string) => (objects.has(key) ? { text: async () => objects.get(key) as string } : null),
		list: async ({ limit }: { limit: number }) => ({
			objects: [...objects.keys()]
				.toSorted()
				.slice(0, limit)
				.map((key) => ({ key })),
		}),
		delete: async (keys: readonly string[]) => {
			for (const key of keys) objects.delete(key);
		},
	};
}

let judges: TwoJudges;
let bucket: ReturnType<typeof bucketOf>;

beforeEach(async () => {
	vi.useFakeTimers({ toFake: ['Date'] });
	judges = await startJudges();
	bucket = bucketOf();
	judges.cosigner = await newCosigner({ BACKUPS: bucket });
});
afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

const later = (milliseconds: number): void => {
	vi.setSystemTime(Date.now() + milliseconds);
	judges.node.now += milliseconds;
};

/** As its cron does. */
const keep = (cosigner: Vault = judges.cosigner): Promise<void> =>
	cosignerWorker.scheduled(
		{} as ScheduledController,
		{ VAULT: { getByName: () => cosigner } } as never,
	) as Promise<void>;

const names = (): string[] =>
	[...bucket.objects.keys()].filter((key) => key.endsWith('/end')).map((key) => key.slice(0, -4));

async function owed(id: string, index: number) {
	const txId = judges.node.paid(payIn(index), 10n * TRX);
	const refund = { index, deposits: [{ txId, amount: 10n * TRX }], amount: 9n * TRX };
	return { id, claims: await refundOf({ id, ...refund }), again: await refundOf({ id: `${id}-again`, ...refund }) };
}

const ask = (id: string, claims: unknown, draft = '00') =>
	judges.cosigner.sign({
		network: 'Tron',
		seen: null,
		payoutId: id,
		claims: JSON.parse(JSON.stringify(claims)),
		draft,
		sweeps: [],
		stated: [],
	});

describe('a co-signer whose journal is lost', () => {
	it('has it back from its bucket: it signs nothing before, and pays nothing twice afterwards', async () => {
		const [first, second, third] = [await owed('r1', 1), await owed('r2', 2), await owed('r3', 3)];
		const paid = (await judges.sign('r1', first.claims)) as Signed;
		await keep();
		const [name = ''] = names();
		const after = (await judges.sign('r2', second.claims)) as Signed;

		judges.cosigner = await newCosigner({ BACKUPS: bucket, RESTORE: name });
		for (const { id, claims } of [first, third]) expect(await ask(id, claims)).toMatchObject({ kind: 'restoring' });
		await expect(judges.cosigner.announce('Tron', 0, [payIn(0)], HOT)).rejects.toThrow('restor');
		await keep();

		// An attacker who has the signer asks again: under the id of what it has signed, and under another one.
		expect(await ask('r1', first.claims)).toMatchObject({ txId: paid.txId });
		expect(await ask('r1-again', first.again)).toMatchObject({ kind: 'deposits-paid' });
		// The signer has seen a newer journal, by one entry. What both have signed since the backup is the signer's to answer.
		expect(await judges.sign('r3', third.claims)).toMatchObject({ kind: 'cosigner-set-back' });
		expect(await judges.sign('r2', second.claims)).toEqual(after);
		const { entries } = journalOf(judges.cosigner);
		judges.said = `${entries.begunAt()}/${entries.number()}`;
		expect(isRefusal(await judges.sign('r3', third.claims))).toBe(false);
		expect(await ask('r3-again', third.again)).toMatchObject({ kind: 'deposits-paid' });
	});

	it('watches addresses that were given out since the backup: they are announced once only', async () => {
		await judges.cosigner.announce('Tron', 0, [payIn(0), payIn(1)], HOT);
		await keep();
		judges.cosigner = await newCosigner({ BACKUPS: bucket, RESTORE: names()[0] });
		const wiring = wiringOf(judges.cosigner);
		const register = vi.fn(async () => undefined);
		const { wallets } = wiring;
		Object.assign(wiring, {
			wallets: (network: NetworkName) => {
				const found = wallets(network);
				if (network !== 'Tron') return found;
				return { ...found, chain: { ...found.chain, readOn: async () => undefined, register } };
			},
		});
		await keep();
		const next = Array.from({ length: 3 }, (_, at) => ({ index: 2 + at, address: payIn(2 + at) }));
		expect(register).toHaveBeenCalledWith(expect.arrayContaining(next));
		expect(journalOf(judges.cosigner).addresses.indexesOf('Tron', [payIn(40)])).toEqual(new Map([[payIn(40), 40]]));
	});

	it('takes nothing back over what it has signed since, and no backup that is not whole', async () => {
		const [first, second] = [await owed('r1', 1), await owed('r2', 2)];
		await judges.sign('r1', first.claims);
		await keep();
		const [name = ''] = names();

		const other = await newCosigner({ BACKUPS: bucket });
		judges.cosigner = other;
		judges.said = 'other';
		await ask('r2', second.claims);
		await judges.sign('r2', second.claims);
		expect(journalOf(other).signatureOf('r2')).not.toBeNull();
		Object.assign((other as unknown as { env: object }).env, { RESTORE: name });
		await expect(keep(other)).rejects.toThrow('the journal has signed something: nothing is put back');

		const into = async (change: () => void, more = {}) => {
			const before = new Map(bucket.objects);
			change();
			const blank = await newCosigner({ BACKUPS: bucket, RESTORE: name, ...more });
			await expect(keep(blank)).rejects.toThrow();
			judges.cosigner = blank;
			expect(await ask('r1', first.claims)).toMatchObject({ kind: 'restoring' });
			bucket.objects.clear();
			for (const [key, value] of before) bucket.objects.set(key, value);
		};
		const pieceKey = `${name}/000000001`;
		await into(() => bucket.objects.delete(`${name}/end`));
		await into(() => bucket.objects.delete(pieceKey));
		await into(() => bucket.objects.set(pieceKey, bucket.objects.get(`${name}/000000002`) ?? ''));
		await into(() => bucket.objects.set(pieceKey, `${bucket.objects.get(pieceKey)}A`));
		await into(() => undefined, { DEPLOYMENT: 'other' });
	});
});

describe('the backups of a co-signer', () => {
	it('are made each hour, kept for a month, and named by network check where they are old', async () => {
		const backup = async () => (await judges.cosigner.check('Tron')).find(({ what }) => what === 'backup');
		await judges.sign('r1', (await owed('r1', 1)).claims);
		expect(await backup()).toEqual({ what: 'backup', ok: false, detail: 'there is none yet' });
		await keep();
		later(HOUR / 2);
		await keep();
		const [first = ''] = names();
		expect(names()).toEqual([first]);
		expect(await backup()).toEqual({ what: 'backup', ok: true, detail: `the newest is of ${first}` });
		later(HOUR / 2);
		await keep();
		expect(names()).toHaveLength(2);
		later(4 * HOUR);
		expect(await backup()).toMatchObject({ ok: false });
		later(31 * DAY);
		await keep();
		expect(names()).toHaveLength(1);
		expect([...bucket.objects.keys()].every((key) => key.startsWith(names()[0] ?? '-'))).toBe(true);
	});

	it('stop no payment where the bucket fails, and are tried again', async () => {
		await judges.sign('r1', (await owed('r1', 1)).claims);
		const { put } = bucket;
		let puts = 0;
		bucket.put = async (...given) => {
			puts += 1;
			if (puts === 3) throw new Error('the bucket is away');
			return put(...given);
		};
		await expect(keep()).rejects.toThrow('the bucket is away');
		expect(names()).toEqual([]);
		const outcome = await judges.sign('r2', (await owed('r2', 2)).claims);
		expect(isRefusal(outcome)).toBe(false);
		await keep();
		expect(names()).toHaveLength(1);
	});

	it('are none where no bucket is bound', async () => {
		judges.cosigner = await newCosigner();
		await judges.sign('r1', (await owed('r1', 1)).claims);
		await keep();
		expect((await judges.cosigner.check('Tron')).map(({ what }) => what)).not.toContain('backup');
	});
});
