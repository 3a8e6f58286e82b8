/**
 * Somebody writes payments that belong to no order: earnings, and a withdrawal. The signer refuses each, and the operator does
 * to the letter what `attention` prints. The row is gone then, nobody got anything, and what is owed is still paid.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { earn, paidTo, payoutsTo } from '../support/earnings.ts';
import { LIVES_VARIABLES } from '../support/lives.ts';
import { operatorOf } from '../support/operator.ts';
import { create } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { commandsIn, type Told } from '../support/printed-commands.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const OURS = '0xf1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0ab21';
/** 2 % of a swap of 2 LTC to ETH at 95 and 3200 USD. */
const EARNED = '1187500000000000';

let service: TestService;
let partner: Credentials;
let orders: Record<'earned' | 'unpaid' | 'theirs', string>;
const { run, json } = operatorOf(() => service);
const sql = (statement: string, ...values: unknown[]) => service.sql(statement, ...values);

interface Forged {
	readonly kind: 'earnings' | 'withdrawal';
	readonly asset?: string;
	readonly network?: string;
	readonly to?: string;
	readonly amount?: string;
	readonly of?: readonly (keyof typeof orders)[];
}

async function forge({
	kind,
	asset = 'ETH',
	network = 'Ethereum',
	to = OURS,
	amount = EARNED,
	of = ['earned'],
}: Forged) {
	const id = crypto.randomUUID();
	if (kind === 'earnings') {
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
	await sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
		 VALUES (?, ?, ?, ?, ?, ?, 380, 'planned', 0, 0)`,
		id,
		kind,
		network,
		asset,
		to,
		amount,
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
	service = await startTestService(LIVES_VARIABLES);
	partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
	const other = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
	await paidTo(service, partner, OURS, 'ETH');
	const [earned] = await earn(service, partner, {});
	const [theirs] = await earn(service, other, {});
	const { data: unpaid } = await create(service, partner);
	orders = { earned: String(earned?.id), theirs: String(theirs?.id), unpaid: unpaid.id };
}, 180_000);
afterAll(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

const REFUSED: readonly (readonly [string, Forged])[] = [
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

	it.each(['sweep', 'gas', 'consolidation'])(
		'a %s, which nobody is owed, is dropped by itself after some refusals',
		async (kind) => {
			const id = crypto.randomUUID();
			const place = kind === 'consolidation' ? [null, null, null] : [OURS, 7, 'ETH'];
			await sql(
				`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
				sweep_asset, state, planned_at, next_attempt_at, attempts)
			 VALUES (?, ?, 'Ethereum', 'ETH', ?, '1', 0, ?, ?, ?, 'planned', 0, 0, 4)`,
				...[id, kind, ATTACKER, ...place],
			);
			expect(await walk(id)).toEqual([]);
			expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
		},
	);

	it('leaves what is owed as it was: it is paid once, and a second one for it is taken back too', async () => {
		await json('earnings', 'pay-out', partner.id);
		await eventually('the earnings to be paid', async () => (await payoutsTo(service, 'Ethereum', OURS)).length === 1);
		const id = await forge({ kind: 'earnings' });
		expect(await walk(id)).toEqual([`payout give-up ${id} --reason R`]);
		expect(await payoutsTo(service, 'Ethereum', OURS)).toMatchObject([{ amount: EARNED }]);
	});
});
