/**
 * Addresses depend on the storage of two kinds of Durable Objects: the signer's index counters and journal, and the
 * agents' stocks. While the service is stopped, these tests damage each one on a network of its own, as the loss or the
 * restore of an object would.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { assetOf } from '../../src/catalog/assets.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { agentOf, databasePath, inDatabase, type ObjectOnDisk, VAULT } from '../support/object-storage.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

/** Far above every index used in these tests. */
const FAR = 900_000;
const LAST = 2_147_483_648;
const AMOUNTS = { LTC: '2', DASH: '2', POL: '400', ETH: '0.1', BTC: '0.002', SOL: '1' } as const;

let service: TestService;
let partner: Credentials;
let paid: CreatedOrder;
/** Derivation indexes of the orders created before the damage. */
let before: Readonly<Record<'DASH' | 'POL' | 'LTC', number>>;

function order(from: keyof typeof AMOUNTS): Promise<Answer<CreatedOrder>> {
	const to: { toCcy: AssetId; toAddress: string } =
		from === 'ETH' ? { toCcy: 'LTC', toAddress: LTC_REFUND } : { toCcy: 'ETH', toAddress: ETH_RECIPIENT };
	const refundAddress = ADDRESS_ON[assetOf(from).network];
	return create(service, partner, { fromCcy: from, amount: AMOUNTS[from], ...to, refundAddress });
}

async function indexOf({ data, text }: Answer<CreatedOrder>): Promise<number> {
	const statement = 'SELECT pay_in_index AS "index" FROM orders WHERE id = ?';
	const [row] = await service.sql<{ index: number }>(statement, String(data?.id));
	if (!row) throw new Error(`no order: ${text}`);
	return row.index;
}

/** The networks whose stocks are emptied: the start waits for their next poll, which fills them again. */
const SOON = { NODE_POLL_SECONDS_DASH: '1', NODE_POLL_SECONDS_POLYGON: '1' };

const LOST = 'DELETE FROM free_addresses; DELETE FROM received_addresses';

const DAMAGE: readonly (readonly [ObjectOnDisk, string])[] = [
	[
		VAULT,
		`DELETE FROM indexes WHERE scope IN ('Dash', 'evm');
		 DELETE FROM addresses WHERE network IN ('Dash', 'Ethereum', 'Polygon');
		 UPDATE indexes SET next = 0 WHERE scope = 'Litecoin';
		 UPDATE indexes SET next = ${LAST} WHERE scope = 'Solana';
		 DELETE FROM address_orders`,
	],
	[agentOf('Dash'), 'DELETE FROM free_addresses'],
	[agentOf('Litecoin'), 'DELETE FROM free_addresses'],
	[agentOf('Ethereum'), LOST],
	[agentOf('Polygon'), LOST],
	[agentOf('Bitcoin'), "UPDATE free_addresses SET address = 'X' || derivation_index"],
	[
		agentOf('Solana'),
		'DELETE FROM free_addresses WHERE derivation_index > (SELECT min(derivation_index) FROM free_addresses)',
	],
];

beforeAll(async () => {
	service = await startTestService(SOON);
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	({ data: paid } = await order('LTC'));
	await service.operator('sandbox/deposit', { orders: [paid.id] });
	await untilStatus(service, partner, paid, 'DONE');
	const indexes = { DASH: await indexOf(await order('DASH')), POL: await indexOf(await order('POL')) };
	before = { ...indexes, LTC: await indexOf(await order('LTC')) };
	// An attacker who can write D1 claims an index near the end. Its seal is broken, so it is ignored.
	const forged = await indexOf(await order('POL'));
	await service.sql(
		"UPDATE orders SET pay_in_index = ? WHERE from_network = 'Polygon' AND pay_in_index = ?",
		LAST - 9,
		forged,
	);
	await service.sql("DELETE FROM order_changes WHERE order_id IN (SELECT id FROM orders WHERE from_network = 'Dash')");
	await service.sql("DELETE FROM orders WHERE from_network = 'Dash'");

	const paths = await Promise.all(DAMAGE.map(([object]) => databasePath(service, object)));
	await service.local.stop();
	for (const [i, [, statements]] of DAMAGE.entries())
		inDatabase(paths[i] ?? '', (database) => database.exec(statements));
	service = await startTestService(SOON, service.stateDirectory);
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

describe('an index counter of the signer', () => {
	it('that is lost together with D1 continues far above what the agent has received', async () => {
		const after = await indexOf(await order('DASH'));
		expect(before.DASH).toBeLessThan(FAR);
		expect(after).toBeGreaterThan(before.DASH + FAR);
	});

	it('that is lost together with the agents’ stocks continues far above the sealed orders of all networks that share it', async () => {
		const after = await indexOf(await order('ETH'));
		expect(after).toBeGreaterThan(before.POL + FAR);
		expect(after).toBeLessThan(before.POL + 10 * FAR);
	});

	it('that is restored to an older state continues after the agent’s highest index', async () => {
		expect(await indexOf(await order('LTC'))).toBeGreaterThan(before.LTC);
	});

	it('that is at its end makes no address: create answers 11, and the operator sees why', async () => {
		expect([(await order('SOL')).code, (await order('SOL')).code]).toEqual([0, 11]);
		const networks = await service.operator<Record<string, unknown>[]>('network/list');
		const solana = networks.find(({ name }) => name === 'Solana');
		expect(solana).toMatchObject({ freeAddresses: 0, lastError: expect.stringContaining('addresses: ') });
		// Each attempt takes the next indexes.
		expect(Number(/no such index: (\d+)/.exec(String(solana?.['lastError']))?.[1])).toBeGreaterThanOrEqual(LAST);
	});
});

describe('the stock of an agent', () => {
	it('that somebody has changed is discarded, because its seals are broken, and replaced with valid addresses', async () => {
		const { code, data } = await order('BTC');
		expect(code).toBe(0);
		expect(data.from.address).toMatch(/^bc1/);
		await eventually('the log', async () => service.logged('pool_address_seal_broken').length > 0);
	});
});
