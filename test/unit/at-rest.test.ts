/** Which pay-in addresses a look at strays judges now, and which it leaves to the next one. */
import { drizzle } from 'drizzle-orm/d1';
import { beforeEach, expect, it } from 'vitest';
import type { Connection } from '../../src/treasury/connection.ts';
import { readAtRest } from '../../src/treasury/strays/at-rest.ts';
import { databaseInMemory } from '../support/database.ts';

const ADDRESS = '0x57a4';
let database: ReturnType<typeof databaseInMemory>;

beforeEach(() => {
	database = databaseInMemory();
});

const addReturn = (state: string, txId: string | null) =>
	database.run(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset,
			state,
			planned_at, next_attempt_at, raw, tx_id, signed_at, sent_at, final_at)
		VALUES ('token', 'token', 'Ethereum', 'ETH', '0x1', '0', 0, ?1, 0, '0x2', ?2, 0, 0, ?3, ?3,
			iif(?3 IS NULL, NULL, 1), iif(?2 IN ('sent', 'final'), 1, NULL), iif(?2 = 'final', 1, NULL))`,
		ADDRESS,
		state,
		txId,
	);

const judged = async (lying = async () => new Map()) => {
	const connection = { db: drizzle(database.d1), network: 'Ethereum' } as unknown as Connection;
	return (await readAtRest(connection, lying, [ADDRESS])).moves.has(ADDRESS);
};

it.each([
	['is not signed, because a person has to look first', 'planned', null, true],
	['is on its way', 'sent', '0xa', false],
	['is final', 'final', '0xa', true],
])('coins beside a return that %s are judged now: %s', async (_, state, txId, isJudged) => {
	await addReturn(state, txId);
	expect(await judged()).toBe(isJudged);
});

it('coins that a return leaves while they are looked at are judged at the next look', async () => {
	const lying = async () => {
		await addReturn('final', '0xa');
		return new Map();
	};
	expect(await judged(lying)).toBe(false);
});
