/**
 * "When D1's answer to a create is lost, the Worker reads the order by its own id … and answers what is true"
 * (book: contract, "Orders"). The create rule runs here on the service's real D1, over a connection that
 * loses answers.
 */
import { timingSafeEqual } from 'node:crypto';
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { isRefusal } from '../../src/http/refusal.ts';
import { parseAmount } from '../../src/money/amount.ts';
import { createOrder } from '../../src/orders/create.ts';
import type { Created, CreateInput } from '../../src/orders/creation.ts';
import type { AddressSource } from '../../src/orders/pay-in-addresses.ts';
import type { Market } from '../../src/pricing/market.ts';
import type { ChainAgent } from '../../src/treasury/agent.ts';
import { ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { createPartner, newNonce } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

// workerd has it on `crypto.subtle`, Node in a module of its own.
Object.assign(crypto.subtle, { timingSafeEqual });

const service = sharedService();
let partnerId: string;
let market: Market;

beforeAll(async () => {
	partnerId = (await createPartner(service.current())).id;
	market = await service.current().object<{ market(): Promise<Market> }>('RATE_BOOK', 'book').market();
});

type Loss = 'before the commit' | 'after the commit';

/** The real D1, but the first batches that insert an order lose their answer, before or after the commit. */
function losing(database: D1Database, losses: Loss[]): D1Database {
	return new Proxy(database, {
		get(target, property) {
			const value = Reflect.get(target, property) as unknown;
			if (property !== 'batch') return typeof value === 'function' ? value.bind(target) : value;
			return async (statements: D1PreparedStatement[]) => {
				const loss = statements.length === 3 ? losses.shift() : undefined;
				if (loss === 'before the commit') throw new Error('D1_ERROR: Network connection lost.');
				const results = await target.batch(statements);
				if (loss === 'after the commit') throw new Error('D1_ERROR: Network connection lost.');
				return results;
			};
		},
	});
}

async function createWith(losses: Loss[], key = newNonce()): Promise<Created> {
	const { local, database } = service.current();
	const amount = parseAmount('2', 8);
	if (!amount) throw new Error('not an amount');
	const input: CreateInput = {
		callbackUrl: null,
		from: assetOf('LTC'),
		to: assetOf('ETH'),
		direction: 'from',
		amount,
		toAddress: ETH_RECIPIENT,
		refundAddress: LTC_REFUND,
		tag: null,
		afftax: null,
		floor: null,
		reference: null,
	};
	const context = {
		db: drizzle(losing(database, losses)),
		sealKeys: keyRing(local.secrets, 'SEAL_KEY'),
		addresses: addressSource(),
		archived: async () => null,
		market: async () => market,
		isSameAddress: () => false,
		recipientProblem: () => null,
		now: Date.now(),
		background: () => undefined,
	};
	const created = await createOrder(
		context,
		{ id: partnerId, defaultAfftaxBps: 0, referenceCode: null, secretsVersion: '' },
		input,
		key,
	);
	if (isRefusal(created)) throw new Error(`${created.kind}`);
	return created;
}

/** The network's agent, called as the Worker calls it. */
const addressSource = (): AddressSource => ({
	draw: (network, count) =>
		service.current().object<Pick<ChainAgent, 'drawAddresses'>>('CHAIN_AGENT', network).drawAddresses(network, count),
	background: () => undefined,
	broken: () => undefined,
});

const ordersWithKey = (key: string) =>
	service.current().sql('SELECT id FROM orders WHERE partner_id = ? AND idempotency_key = ?', partnerId, key);

describe("a create whose answer D1's connection loses", () => {
	it.each<[string, Loss[]]>([
		['once, after the commit', ['after the commit']],
		['once, before the commit', ['before the commit']],
		['twice, before and then after the commit', ['before the commit', 'after the commit']],
		['twice, before the commit', ['before the commit', 'before the commit']],
	])('%s: one order, and its token', async (_, losses) => {
		const key = newNonce();
		const { order, token } = await createWith([...losses], key);
		expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
		expect(await ordersWithKey(key)).toEqual([{ id: order.id }]);
	});

	it('every time: an error, and no order', async () => {
		const key = newNonce();
		await expect(createWith(Array<Loss>(10).fill('before the commit'), key)).rejects.toThrow('could not be written');
		expect(await ordersWithKey(key)).toEqual([]);
	});

	it('leaves the key unused when the create was refused, and used when it made an order', async () => {
		const key = newNonce();
		const first = await createWith(['after the commit'], key);
		const replay = await createWith([], key);
		expect(replay.order.id).toBe(first.order.id);
		expect(replay.token).toBeNull();
	});
});
