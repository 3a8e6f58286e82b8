/** What went to partners after a backup is looked for by one search an asset, however many partners there are. */
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import type { SentPayment } from '../../src/chains/sent-payment.ts';
import type { Looking } from '../../src/signer/older-orders.ts';
import { ownPaymentsProblem } from '../../src/signer/own-payments.ts';
import { type SqliteD1, sqliteD1 } from '../support/sqlite-d1.ts';

const PARTNERS = 5_000;
const NOBODY_LOOKED = { looked: false, not: [] };
const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}`;

/** Partners that are paid in ETH, in DAI and in LTC, in turns. */
function partnersIn({ sqlite }: SqliteD1, count: number): void {
	const columns = sqlite.prepare('PRAGMA table_info(partners)').all();
	const needed = columns.filter(({ notnull, dflt_value: given }) => notnull === 1 && given === null);
	const names = [...needed.map(({ name }) => String(name)), 'payout_asset', 'payout_address'];
	const insert = sqlite.prepare(`INSERT INTO partners (${names.join()}) VALUES (${names.map(() => '?').join()})`);
	for (let i = 0; i < count; i++) {
		const values = needed.map(({ name, type }) => {
			if (name === 'webhook_events') return '[]';
			return type === 'INTEGER' ? 1 : name === 'id' ? `partner ${i}` : `${name} ${i}`;
		});
		insert.run(...values, ['ETH', 'DAIERC20', 'LTC'][i % 3] ?? '', addressOf(i));
	}
}

interface World extends SqliteD1 {
	/** How often D1 was asked, and chains. */
	readonly asked: { d1: number; chains: number };
	readonly looking: Looking;
}

/** `shown`: what the chain of each asset shows. `breaksAt`: the batch at which D1 fails. */
function worldWith(
	shown: readonly SentPayment[],
	{ partners = 3, signed = '', breaksAt = 0, withdrawTo = '' } = {},
): World {
	const store = sqliteD1();
	partnersIn(store, partners);
	const asked = { d1: 0, chains: 0 };
	const d1 = new Proxy(store.d1, {
		get(target, name) {
			const member = Reflect.get(target, name);
			if (name !== 'batch') return typeof member === 'function' ? member.bind(target) : member;
			return (statements: D1PreparedStatement[]) => {
				asked.d1 += 1;
				if (asked.d1 === breaksAt) throw new Error('D1_ERROR: storage is down');
				return target.batch(statements);
			};
		},
	});
	const looking = {
		db: drizzle(d1),
		restored: { state: () => ({ backupAt: 1 }) },
		journal: { isSigned: (txId: string) => txId === signed },
		withdrawalAddresses: (on: string) =>
			withdrawTo && on === 'Ethereum' ? { addresses: [{ name: 'cold', address: withdrawTo }] } : null,
		chainOn: () => ({
			async paymentsTo(_asset: string, to: readonly string[]) {
				asked.chains += 1;
				return shown.filter((payment) => to.includes(payment.to));
			},
		}),
	};
	return { ...store, asked, looking: looking as unknown as Looking };
}
const paid = (i: number, txId = '0xpaid'): SentPayment => ({ txId, to: addressOf(i), amount: 10n ** 16n });

describe('partners who were paid after a backup', () => {
	it('are found among five thousand by one search an asset and two batches of D1', async () => {
		const world = worldWith([paid(PARTNERS - 1)], { partners: PARTNERS });
		const problem = await ownPaymentsProblem(world.looking, NOBODY_LOOKED);
		expect(problem).toContain(`\`earnings pay-out partner ${PARTNERS - 1} --tx-id 0xpaid\` books it`);
		expect(world.asked).toEqual({ d1: 2, chains: 3 });
	});

	it('are none where the journal has the payment, or a person says that it paid something else', async () => {
		const signed = worldWith([paid(1)], { signed: '0xpaid' });
		expect(await ownPaymentsProblem(signed.looking, NOBODY_LOOKED)).toBeNull();
		const named = worldWith([paid(1)]);
		expect(await ownPaymentsProblem(named.looking, { looked: false, not: ['0xpaid'] })).toBeNull();
		expect(await ownPaymentsProblem(named.looking, { looked: true, not: [] })).toContain('0xpaid');
	});

	it('are none for whom a person has booked the payment', async () => {
		const world = worldWith([paid(1), paid(2, '0xother')]);
		const book = world.sqlite.prepare(
			`INSERT INTO partner_payouts (id, partner_id, asset, network, address, amount, usd_cents, order_count, planned_at, tx_id, paid_at)
			VALUES ('booked', 'partner 1', 'DAIERC20', 'Ethereum', 'there', '1', 1, 1, 1, '0xpaid', 1)`,
		);
		book.run();
		expect(await ownPaymentsProblem(world.looking, NOBODY_LOOKED)).toContain('pay-out partner 2 --tx-id 0xother');
	});

	it('and the operator’s own address: a planned withdrawal that was made then, and one that no row knows', async () => {
		const mine = { txId: '0xmine', to: '0xme', amount: 10n ** 18n };
		const world = worldWith([mine, { ...mine, txId: '0xmore', amount: 3n * 10n ** 18n }], { withdrawTo: '0xme' });
		world.run(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
			VALUES ('w1', 'withdrawal', 'Ethereum', 'ETH', '0xme', '1000000000000000000', 1, 'planned', 1, 1)`,
		);
		const problem = await ownPaymentsProblem(world.looking, NOBODY_LOOKED);
		expect(problem).toContain('paid the recipient of transaction w1 1 ETH: if it is that one');
		expect(problem).toContain('`restored paid w1 --tx-id 0xmine --reason R`');
		expect(problem).toContain('`restored confirm --own --not T`');
		const other = await ownPaymentsProblem(world.looking, { looked: false, not: ['0xmine'] });
		expect(other).toContain('`treasury withdraw ETH --amount 3 --to cold --tx-id 0xmore`');
		expect(await ownPaymentsProblem(world.looking, { looked: false, not: ['0xmine', '0xmore'] })).toBeNull();
	});

	it.each([1, 2])('are not looked for by a person in place of a database that fails (batch %i)', async (breaksAt) => {
		const world = worldWith([paid(1)], { breaksAt });
		await expect(ownPaymentsProblem(world.looking, { looked: true, not: [] })).rejects.toThrow('storage is down');
	});
});
