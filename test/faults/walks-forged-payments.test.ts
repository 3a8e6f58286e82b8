/**
 * Somebody writes payments that belong to no order: earnings, and a withdrawal. The signer refuses each, and the operator does
 * to the letter what `attention` prints. The row is gone then, nobody got anything, and what is owed is still paid.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedAgo, earn, paidTo, payoutsTo } from '../support/earnings.ts';
import { LIVES_VARIABLES, WITHDRAWN_TO } from '../support/lives.ts';
import { operatorOf } from '../support/operator.ts';
import { create, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { commandsIn, type Told } from '../support/printed-commands.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const OURS = '0xf1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0ab21';
/** 2 % of a swap of 2 LTC to ETH at 95 and 3200 USD. */
const EARNED = '1187500000000000';

let service: TestService;
let partner: Credentials;
let orders: Record<'earned' | 'unpaid' | 'theirs' | 'coin', string>;
const { run, json } = operatorOf(() => service);
const sql = (statement: string, ...values: unknown[]) => service.sql(statement, ...values);

interface Forged {
	readonly kind: 'earnings' | 'withdrawal' | 'stray';
	readonly asset?: string;
	readonly network?: string;
	readonly to?: string;
	readonly amount?: string;
	/** None: it is in the list of no partner. */
	readonly of?: readonly (keyof typeof orders)[] | null;
	/** Of a stray: the order at whose address it lies. */
	readonly at?: keyof typeof orders;
}

async function forge({
	kind,
	asset = 'ETH',
	network = 'Ethereum',
	to = OURS,
	amount = EARNED,
	of = ['earned'],
	at,
}: Forged) {
	const id = crypto.randomUUID();
	if (kind === 'earnings' && of) {
		await sql(
			`INSERT INTO partner_payouts (id, partner_id, asset, network, address, amount, usd_cents, order_count, planned_at)
			 VALUES (?, ?, ?, ?, ?, ?, 380, 1, 0)`,
			id,
			partner.id,
			asset,
			network,
			to,
			amount,
		);
		for (const order of of)
			await sql('INSERT OR REPLACE INTO partner_payout_orders (order_id, payout_id) VALUES (?, ?)', orders[order], id);
	}
	if (at)
		await sql(
			`INSERT INTO strays (network, address, asset, order_id, counted, is_listed, found_at, looked_at)
			 SELECT ?2, pay_in_address, ?3, id, '0', 0, 0, 0 FROM orders WHERE id = ?1`,
			...[orders[at], network, asset],
		);
	await sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, planned_at, next_attempt_at)
		 SELECT ?1, ?2, ?3, ?4, coalesce(refund_address, ?5), ?6, 380, pay_in_address, pay_in_index, iif(id IS NULL, NULL, ?4), 'planned', 0, 0
		 FROM (SELECT 1) LEFT JOIN orders ON id = ?7`,
		...[id, kind, network, asset, to, amount, at ? orders[at] : null],
	);
	return id;
}

/** Does what is printed of it until its row is gone. */
async function walk(id: string): Promise<readonly string[]> {
	const told = new Set<string>();
	await eventually(`${id} to be gone`, async () => {
		const rows = await service.operator<(Told['attention'][number] & { subject: string })[]>('attention');
		for (const { cause, todo } of rows.filter(({ subject }) => subject === id))
			for (const { line } of commandsIn(`${cause} ${todo}`)) {
				told.add(line);
				await run(...line.split(' '));
			}
		return (await sql('SELECT 1 FROM transactions WHERE id = ?', id)).length === 0;
	});
	return [...told];
}

beforeAll(async () => {
	service = await startTestService({ ...LIVES_VARIABLES, NODE_POLL_SECONDS_BSC: '1' });
	partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
	const other = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
	await paidTo(service, partner, OURS, { asset: 'ETH' });
	const [earned] = await earn(service, partner, {});
	const [theirs] = await earn(service, other, {});
	const { data: unpaid } = await create(service, partner);
	const { data: coin } = await create(service, partner, {
		...{ fromCcy: 'ETH', toCcy: 'LTC', amount: '0.1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT },
	});
	orders = { earned: String(earned?.id), theirs: String(theirs?.id), unpaid: unpaid.id, coin: coin.id };
}, 180_000);
afterAll(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

const NO_PLACE = { pay_in_address: null, pay_in_index: null, sweep_asset: null };
const REFUSED: readonly (readonly [string, Forged])[] = [
	['no-such-transaction', { kind: 'earnings', of: null }],
	['no-orders', { kind: 'earnings', of: [] }],
	['order-without-earnings', { kind: 'earnings', of: ['earned', 'unpaid'] }],
	['earnings-of-other-partner', { kind: 'earnings', of: ['earned', 'theirs'] }],
	['below-earnings', { kind: 'earnings', amount: '1000' }],
	['above-earnings', { kind: 'earnings', amount: `${EARNED}0` }],
	['other-asset-than-partner', { kind: 'earnings', asset: 'USDCERC20' }],
	['other-recipient-than-partner', { kind: 'earnings', to: ATTACKER }],
	['other-network', { kind: 'withdrawal', network: 'BSC' }],
	['withdraw-address-not-set', { kind: 'withdrawal', network: 'Litecoin', asset: 'LTC', to: ATTACKER }],
	['other-recipient-than-configured', { kind: 'withdrawal', to: ATTACKER }],
	['amount-invalid', { kind: 'withdrawal', to: WITHDRAWN_TO, amount: `0${EARNED}` }],
	['deposit-no-stray', { kind: 'stray', network: 'Litecoin', asset: 'LTC', at: 'unpaid' }],
	['above-stray', { kind: 'stray', asset: 'USDCERC20', at: 'coin' }],
];

describe('a payment that somebody wrote and the signer refuses', () => {
	it.each(REFUSED)('%s: is taken back by the command that is printed', async (refusal, forged) => {
		const id = await forge(forged);
		await eventually(`${refusal} to be said`, async () => {
			const [row] = await sql('SELECT waits_facts AS facts FROM transactions WHERE id = ?', id);
			return String(row?.['facts']).includes(`"kind":"${refusal}"`);
		});
		expect(await walk(id)).toEqual([`payout give-up ${id} --reason R`]);
		expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
	});

	it.each([
		['pay-in-address-not-ours', 'sweep', { pay_in_index: 7 }],
		['pay-in-address-not-ours', 'gas', { pay_in_index: 7 }],
		['other-recipient', 'consolidation', { to_address: ATTACKER, ...NO_PLACE }],
		['no-such-transaction', 'sweep', { sweep_asset: 'NONE' }],
		['sweeps-unsupported', 'sweep', {}],
		['consolidation-unsupported', 'consolidation', NO_PLACE],
	])(
		'%s: a %s, which nobody is owed, is dropped by itself after some refusals',
		async (refusal, kind, more: object) => {
			const id = crypto.randomUUID();
			const [place = {}] = await service.sql(
				'SELECT pay_in_address, pay_in_index, from_asset AS sweep_asset FROM orders WHERE id = ?',
				orders.coin,
			);
			const to_address = await service.hotAddress('Ethereum');
			const row = { id, kind, network: 'Ethereum', asset: 'ETH', to_address, amount: '1', ...place, ...more };
			const planned = { ...row, usd_cents: 0, state: 'planned', planned_at: 0, next_attempt_at: 0, attempts: 4 };
			const names = Object.keys(planned);
			await sql(
				`INSERT INTO transactions (${names}) VALUES (${names.map(() => '?')})`,
				...Object.values<unknown>(planned),
			);
			expect(await walk(id)).toEqual([]);
			const refused = service.logged('signing_refused').find(({ payoutId }) => payoutId === id);
			expect(refused?.['kind']).toBe(refusal);
			expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
		},
	);

	it('an address of the partner that somebody wrote is set again with its asset, as the cause says, and paid', async () => {
		await service.operator('network/update', { name: 'Ethereum', send: false });
		const { payoutId } = await json<{ payoutId: string }>('earnings', 'pay-out', partner.id);
		await sql("UPDATE partners SET payout_seal = 'x' || payout_seal WHERE id = ?", partner.id);
		await service.operator('network/update', { name: 'Ethereum', send: true });
		const cause = await eventually('it to be said', async () => {
			const rows = await service.operator<{ subject: string; cause: string }[]>('attention');
			return rows.find(({ subject, cause: told }) => subject === payoutId && told.includes('no seal'))?.cause;
		});
		expect(cause).toContain('set it and its asset by partner update');
		await json('partner', 'update', partner.id, '--payout-asset', 'ETH', '--payout-address', OURS);
		await changedAgo(service, partner.id, 24);
		await sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', payoutId);
		await eventually('it to be paid', async () => (await payoutsTo(service, 'Ethereum', OURS)).length === 1);
	});

	it('leaves what is owed as it was: it is paid once, and a second one for it is taken back too', async () => {
		const id = await forge({ kind: 'earnings' });
		expect(await walk(id)).toEqual([`payout give-up ${id} --reason R`]);
		expect(await payoutsTo(service, 'Ethereum', OURS)).toMatchObject([{ amount: EARNED }]);
	});
});
