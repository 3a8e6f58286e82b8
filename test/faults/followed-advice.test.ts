/**
 * An operator who does to the letter what is printed, whatever it is, after a restore, after the loss of the signer's journal,
 * and after both D1 was set back and the journal lost: orders and payments of the house at each moment of their life,
 * which then went on, and prices are others. Nothing is paid twice, nothing is lost, and nothing waits for ever.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyDatabaseFile, databaseFile } from '../support/database-file.ts';
import { followEverything, type Round } from '../support/followed.ts';
import { LIVES_VARIABLES, Lives } from '../support/lives.ts';
import { databasePath, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { restoredAfter } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

type Disaster = (old: TestService, lives: Lives) => Promise<TestService>;

const again = (stopped: TestService) => startTestService(LIVES_VARIABLES, stopped.stateDirectory);

async function withoutJournal(service: TestService, meanwhile = async () => {}): Promise<TestService> {
	const journal = await databasePath(service, VAULT);
	await service.local.stop();
	for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
	await meanwhile();
	return again(service);
}

/** How often: partners' earnings, as `Lives` names them, and the withdrawal. What is taken back is owed still. */
type Own = readonly unknown[];
const PAID: Own = [1, 1, 0, 1];
const ONCE = expect.toBeOneOf([0, 1]);

const DISASTERS: readonly (readonly [string, Disaster, Own])[] = [
	['a restore', (old, lives) => restoredAfter(old, () => lives.goOn(), LIVES_VARIABLES), PAID],
	[
		'the loss of the journal',
		async (old, lives) => {
			const service = await withoutJournal(old);
			await lives.pay(service);
			return service;
		},
		[ONCE, 0, 0, ONCE],
	],
	[
		'the loss of the journal, with D1 set back',
		async (old, lives) => {
			const earlier = join(old.stateDirectory, 'earlier');
			await copyDatabaseFile(databaseFile(old), earlier);
			await lives.goOn();
			return withoutJournal(old, () => copyDatabaseFile(earlier, databaseFile(old)));
		},
		PAID,
	],
];

describe.each(DISASTERS)('after %s', (_, disaster, paid) => {
	let service: TestService;
	const lives = new Lives(() => service);

	beforeAll(async () => {
		service = await startTestService(LIVES_VARIABLES);
		await lives.begin();
		service = await disaster(service, lives);
		await operatorOf(() => service).json('sandbox', 'price', 'LTC', '80');
		await eventually('the signer to wait', async () => {
			const { restoredAt = null } = await operatorOf(() => service).json('restored', 'show');
			return restoredAt !== null;
		});
	}, 300_000);
	afterAll(async () => {
		await service?.local.stop();
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it('who follows every printed line to the letter pays nothing twice, and no order stays', async () => {
		let round: Round = { waiting: 0, told: [] };
		await eventually(
			'nothing to wait',
			async () => {
				round = await followEverything(service);
				return round.waiting === 0 && (await lives.isAtRest());
			},
			240_000,
		).catch(async (error: Error) => {
			throw new Error(
				`${error.message}; the last round: ${round.told.join('\n')}; what is left: ${await lives.left()}`,
			);
		});
		const { wrong, refunds, own } = await lives.ends();
		expect(wrong).toEqual([]);
		expect(refunds[0]).toBe(refunds[1]);
		expect(own).toEqual(paid);
	}, 300_000);
});
