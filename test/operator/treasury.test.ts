/**
 * Withdrawals from the hot wallets (book: run, "Earnings and withdrawals"). They go only to the addresses in the
 * signer's own configuration, and take only free coins, within a cap of their own. No order is offered more than is
 * free.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { create, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const OPERATOR = {
	Ethereum: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
	Arbitrum: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
	Litecoin: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
	Tron: 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ',
};
const EXCHANGE = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
/** A day's withdrawals to it, US dollars; Litecoin is 95 USD in the sandbox. */
const EXCHANGE_CAP_USD = 2_000;
const CAP_USD = 32_000_000;

const file = serviceForFile({
	...Object.fromEntries(Object.entries(OPERATOR).map(([name, to]) => [`WITHDRAW_TO_${name.toUpperCase()}`, to])),
	WITHDRAW_TO_LITECOIN: `cold=${OPERATOR.Litecoin}, kraken=${EXCHANGE}/${EXCHANGE_CAP_USD}`,
	WITHDRAW_TO_DASH: OPERATOR.Litecoin,
	SIGNER_DAILY_WITHDRAW_CAP_USD: String(CAP_USD),
	NODE_POLL_SECONDS_ARBITRUM: '2',
});
const { run, json } = operatorOf(file.current);

interface Withdrawal {
	readonly id: string;
	readonly state: string;
	readonly txId: string | null;
	readonly held: string | null;
}
interface Treasury {
	readonly assets: readonly Record<string, string | null>[];
	readonly addresses: readonly Readonly<Record<string, string | null>>[];
	readonly nowhere: string | null;
	readonly withdrawals: readonly Withdrawal[];
	readonly moved: readonly Readonly<Record<string, string>>[];
	readonly arrivals: readonly Readonly<Record<string, string | null>>[];
}
interface Check {
	readonly differences: number;
	readonly moving: number;
	readonly wallets: readonly { readonly asset: string; readonly held: string; readonly result: string }[];
}

const treasury = () => file.current().operator<Treasury>('treasury/show');
const fundsOf = async (asset: string) => (await treasury()).assets.find((each) => each['asset'] === asset);
const withdraw = (asset: string, amount: string, more = {}) =>
	file.current().operator<Withdrawal>('treasury/withdraw', { asset, amount, ...more });
const refusedWith = async (doing: Promise<unknown>): Promise<string> =>
	doing.then(
		() => 'not refused',
		(error) => String(error),
	);
const find = async (id: string) => (await treasury()).withdrawals.find((each) => each.id === id);
const untilFinal = (id: string) =>
	eventually(`withdrawal ${id} to be final`, async () => {
		const found = await find(id);
		return found?.state === 'final' && found;
	});
const heldOf = (id: string) => eventually(`withdrawal ${id} to be refused`, async () => (await find(id))?.held, 20_000);

let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(file.current());
	await withdraw('TRX', '99996000');
});

describe('ledger check on a fresh start', () => {
	it('counts the coins that the sandbox’s wallets start with: nothing differs, and no balance is negative', async () => {
		const { differences, wallets } = await file.current().operator<Check>('ledger/check');
		expect(differences).toBe(0);
		const untouched = wallets.filter(({ asset }) => asset !== 'TRX');
		expect(new Set(untouched.map(({ held, result }) => `${held} ${result}`))).toEqual(new Set(['100000000 ok']));
	});
});

describe('treasury withdraw', () => {
	it('sends free coins to the address in the signer’s configuration; books and audit log are exact to the unit', async () => {
		const planned = await json<Withdrawal & Record<string, string>>('treasury', 'withdraw', 'ltc', '--amount', '12.5');
		expect(planned).toMatchObject({ asset: 'LTC', amount: '12.5', state: 'planned', toAddress: OPERATOR.Litecoin });
		const done = await untilFinal(planned.id);
		expect(done.held).toBeNull();
		expect(await payoutsTo(file.current(), 'Litecoin', OPERATOR.Litecoin)).toMatchObject([
			{ txId: done.txId, amount: '1250000000' },
		]);
		expect(await fundsOf('LTC')).toMatchObject({ withdrawn: '12.5', reserve: '100000000', owed: '0', earnings: '0' });
		const check = await file.current().operator<Check>('ledger/check');
		expect([check.differences, check.moving]).toEqual([0, 0]);
		expect(check.wallets.find(({ asset }) => asset === 'LTC')?.held).toBe('99999987.5');
		const audit = await file
			.current()
			.sql("SELECT subject, changes FROM audit_log WHERE command = 'treasury withdraw' AND subject = ?", planned.id);
		expect(audit).toHaveLength(1);
	});

	it('asked again before the first is final, names the first and plans nothing', async () => {
		const { sql } = file.current();
		await sql(
			"CREATE TRIGGER slow AFTER INSERT ON transactions WHEN NEW.kind = 'withdrawal' BEGIN UPDATE transactions SET next_attempt_at = 9e15 WHERE id = NEW.id; END",
		);
		const { id } = await withdraw('ETHARB', '1');
		const both = await Promise.all([withdraw('ETHARB', '1'), withdraw('ETHARB', '1')].map(refusedWith));
		expect(both.every((text) => text.includes(`withdrawal ${id} of 1 ETHARB`))).toBe(true);
		// A planned withdrawal counts as owed, so its coins are not free again.
		expect(await fundsOf('ETHARB')).toMatchObject({ held: '100000000', owed: '1', free: '99999999' });
		await sql('DROP TRIGGER slow');
		await sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', id);
		await eventually('it to be sent', async () => (await find(id))?.txId);
		expect(await file.current().sql("SELECT id FROM transactions WHERE asset = 'ETHARB'")).toHaveLength(1);
	});

	it('takes no more than is free: coins for waiting payouts and partners’ earnings stay', async () => {
		const service = file.current();
		const earner = await createPartner(service, { afftaxBps: 100 });
		const { data: done } = await create(service, earner);
		await service.operator('sandbox/deposit', { orders: [done.id] });
		await untilStatus(service, earner, done, 'DONE');
		const { data: order } = await create(service, partner);
		await service.operator('network/update', { name: 'Ethereum', send: false });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const waiting = await untilStatus(service, partner, order, 'EXCHANGE');
		// A sent withdrawal counts as owed until it is final.
		const found = await eventually('all but this one to be final', async () => {
			const funds = await fundsOf('ETH');
			return funds?.['owed'] === waiting.to.amount && funds;
		});
		// 1 % of 190 USD at 3200 USD.
		expect(found['earnings']).toBe('0.00059375');
		expect(await refusedWith(withdraw('ETH', '1'))).toContain('payouts of ETH are switched off');
		await service.sql("UPDATE transactions SET next_attempt_at = 9e15 WHERE state = 'planned'");
		await service.operator('network/update', { name: 'Ethereum', send: true });
		expect(await refusedWith(withdraw('ETH', String(found['held'])))).toMatch(
			/are more than the 9999999\S+ that are free/,
		);
		await service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'planned'");
		await untilStatus(service, partner, order, 'DONE');
	});

	it('sends to the address that is named, no more in a day than its cap, whatever the database says', async () => {
		const { id } = await withdraw('LTC', '20', { to: 'kraken' });
		await untilFinal(id);
		expect(await payoutsTo(file.current(), 'Litecoin', EXCHANGE)).toMatchObject([{ amount: '2000000000' }]);
		const used = async () => (await treasury()).addresses.find(({ name }) => name === 'kraken');
		const before = await used();
		expect(before).toMatchObject({ network: 'Litecoin', address: EXCHANGE, capUsd: '2000.00' });
		expect(Number(before?.['usedUsd'])).toBeCloseTo(1_900, -2);
		expect(await refusedWith(withdraw('LTC', '5', { to: 'kraken' }))).toMatch(
			/kraken takes 2000\.00 USD in a UTC day, of which \d+\.\d\d are left today: this is worth 4\d\d\.\d\d USD/,
		);
		expect(await refusedWith(withdraw('LTC', '1', { to: 'binance' }))).toContain(
			'the signer has no address binance for Litecoin, but cold, kraken',
		);
		// Who writes the database forgets the withdrawal, and plans another one.
		const { sql } = file.current();
		await sql('UPDATE transactions SET to_address = ?, amount = ? WHERE id = ?', OPERATOR.Litecoin, '1', id);
		const forged = crypto.randomUUID();
		await sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
			 VALUES (?, 'withdrawal', 'Litecoin', 'LTC', ?, '500000000', 1, 'planned', 0, 0)`,
			forged,
			EXCHANGE,
		);
		expect(await heldOf(forged)).toMatch(
			/^daily cap of withdrawals to kraken: \d+\.\d\d USD is more than is left today.* or raise WITHDRAW_TO_LITECOIN of the signer$/,
		);
		expect(await used()).toEqual(before);
		await sql('DELETE FROM transactions WHERE id = ?', forged);
		await sql('UPDATE transactions SET to_address = ?, amount = ? WHERE id = ?', EXCHANGE, '2000000000', id);
	});

	it('adds up what each name was sent and what came back from it, once the operator says so', async () => {
		const moved = async () => (await treasury()).moved.find(({ name, coin }) => name === 'kraken' && coin === 'LTC');
		expect(await moved()).toEqual({ name: 'kraken', coin: 'LTC', sent: '20', cameBack: '0' });
		// The newest of all assets.
		expect((await treasury()).arrivals[0]).toMatchObject({ from: null, amount: '100000000' });
		const [{ txId } = { txId: '' }] = await file
			.current()
			.sql<{ txId: string }>("SELECT tx_id AS txId FROM reserve_entries WHERE asset = 'LTC'");
		const note = (from: string) => run('treasury', 'returned', 'LTC', '--tx-id', txId, '--from', from);
		expect((await note('kraken')).stderr).toBe('');
		expect(await moved()).toEqual({ name: 'kraken', coin: 'LTC', sent: '20', cameBack: '100000000' });
		expect(await fundsOf('LTC')).toMatchObject({ reserve: '100000000', withdrawn: '32.5' });
		expect((await file.current().operator<Check>('ledger/check')).differences).toBe(0);
		expect((await note('binance')).stderr).toContain('the signer has no address binance: it has ');
		expect((await note('none')).status).toBe(0);
		expect(await moved()).toMatchObject({ cameBack: '0' });
		expect((await run('treasury', 'returned', 'LTC', '--tx-id', 'none', '--from', 'kraken')).stderr).toContain(
			'brought no LTC that is on record as reserve',
		);
	});

	it.each([
		['BTC', 'set its variable WITHDRAW_TO_BITCOIN'],
		['DASH', 'WITHDRAW_TO_DASH is no address of Dash'],
	])('%s is refused when the signer has no address for it: %s', async (asset, reason) => {
		expect(await refusedWith(withdraw(asset, '1'))).toContain(reason);
	});

	it.each([
		['LTC', '0', 'is not an amount of LTC'],
		['LTC', '0.000000001', 'at most 8 decimals'],
		['LTC', '-1', 'is not an amount of LTC'],
		['GOLD', '1', 'not an asset'],
	])('%s %s is refused: %s', async (asset, amount, reason) => {
		expect(await refusedWith(withdraw(asset, amount))).toContain(reason);
	});

	it('is in the command line’s help, and has usage errors like other commands', async () => {
		const { stdout } = await run('treasury', 'show');
		expect(stdout).toContain(OPERATOR.Tron);
		expect(stdout.match(/WITHDRAW_TO_/g)).toHaveLength(2);
		expect(stdout).toMatch(/^nowhere {2}from Bitcoin, /);
		expect((await run('treasury', 'withdraw', 'LTC')).status).toBe(2);
	});
});

describe('an attacker who can write every row of D1', () => {
	it('cannot change where a withdrawal goes', async () => {
		const { sql } = file.current();
		await sql(
			`CREATE TRIGGER steal AFTER INSERT ON transactions WHEN NEW.kind = 'withdrawal' BEGIN UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id; END`,
		);
		const { id } = await withdraw('USDTERC20', '1000');
		await sql('DROP TRIGGER steal');
		expect(await heldOf(id)).toBe('another recipient than those that the signer is configured with');
		expect(await payoutsTo(file.current(), 'Ethereum', ATTACKER)).toEqual([]);
	});

	it('cannot withdraw above the daily cap of withdrawals, which customers’ payouts do not share', async () => {
		const { sql } = file.current();
		const id = crypto.randomUUID();
		await sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
			 VALUES (?1, 'withdrawal', 'Ethereum', 'ETH', ?2, ?3, 1, 'planned', 0, 0)`,
			id,
			OPERATOR.Ethereum,
			`${CAP_USD / 3_200}${'0'.repeat(18)}`,
		);
		await eventually('the signer to refuse', async () =>
			file
				.current()
				.logged('signing_refused')
				.some((line) => line['payoutId'] === id),
		);
		const [refusal] = file
			.current()
			.logged('signing_refused')
			.filter((line) => line['payoutId'] === id);
		expect(refusal?.['refused']).toMatch(
			/^daily withdrawal cap of the signer: 32000000\.00 USD is more than is left today, \d+\.\d\d USD; \d+\.\d\d of 32000000\.00 USD are used; it goes on after 00:00 UTC, or raise SIGNER_DAILY_WITHDRAW_CAP_USD of the signer$/,
		);
		const { data: order } = await create(file.current(), partner);
		await file.current().operator('sandbox/deposit', { orders: [order.id] });
		const { to } = await untilStatus(file.current(), partner, order, 'DONE');
		expect(to.tx.id).not.toBeNull();
		await sql('DELETE FROM transactions WHERE id = ?', id);
	});

	it('learns the address of withdrawals from no other answer than the operator’s', async () => {
		expect((await call(file.current(), '/api/v1/currencies', {})).text).not.toContain(OPERATOR.Tron);
		const { addresses } = await treasury();
		const told = addresses.flatMap(({ network, name, address }) =>
			name === 'cold' && address ? [[network, address]] : [],
		);
		expect(Object.fromEntries(told)).toEqual(OPERATOR);
	});
});

describe('an order that the hot wallet cannot pay', () => {
	const quote = { type: 'float', fromCcy: 'LTC', toCcy: 'TRX', direction: 'from', amount: '2' };
	const terms = { ...quote, toAddress: OPERATOR.Tron };
	const priced = async () =>
		(await signed<{ from: { max: string }; to: { max: string } }>(file.current(), partner, '/api/v1/price', quote))
			.data;
	const made = (amount: string) => create(file.current(), partner, { ...terms, amount });

	beforeAll(async () => {
		await eventually('quotes to know', async () => Number((await priced()).to.max) <= 4_000, 30_000);
	}, 60_000);

	it('is refused with code 8, and price and feed show the most that can be paid', async () => {
		const { from, to } = await priced();
		expect([Number(to.max) > 3_900, Number(to.max) <= 4_000]).toEqual([true, true]);
		const bigger = (Number(from.max) * 1.01).toFixed(8);
		expect((await made(bigger)).code).toBe(8);
		expect((await made(from.max)).code).toBe(0);
		const feed = await eventually('the feed to know', async () => {
			const text = await (await fetch(`${file.current().url}/api/rates.xml`)).text();
			const item = /<item><from>LTC<\/from><to>TRX<\/to>.*?<\/item>/.exec(text)?.[0] ?? '';
			return item.includes('<amount>4000</amount>') || item.includes('<amount>3999.') ? item : null;
		});
		expect(/<maxamount>(\S+) LTC<\/maxamount>/.exec(feed)?.[1]).toBe(from.max);
	});

	it('is accepted when the operator allows orders above the reserve', async () => {
		expect(await json('asset', 'update', 'TRX', '--beyond-reserve', 'true')).toMatchObject({ beyondReserve: true });
		expect((await made('20')).code).toBe(0);
		expect(await json('asset', 'update', 'TRX', '--beyond-reserve', 'false')).toMatchObject({ beyondReserve: false });
		expect((await made('20')).code).toBe(8);
	});
});
