/**
 * What strangers and single faulty nodes can do to an EVM network, on a real node: a receipt that is too large to read,
 * a payment that a reorganisation changes, a wrong transaction count, a recipient that burns gas. Each delays its own
 * order and no other.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable, PaymentImpossible, SigningBlocked } from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { startRelay } from '../support/anvil.ts';
import { feeOf, houseCostsOf } from '../support/chain-costs.ts';
import { COIN, CUSTOMER, type Ethereum, HOT, hexOf, refOf, SEED, signing, startEthereum } from '../support/ethereum.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { textsOf } from '../support/reservations.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { callData, installContract, installTokens } from '../support/tokens.ts';

const FLOODER = '0x00000000000000000000000000000000000f100d';
const FORWARDER = '0x00000000000000000000000000000000000f0f0f';
/** So many empty words that the receipt has more values than the service reads of one answer. */
const WORDS = 22_000;
const FLOOD_GAS = 14_000_000n;
const CONFIRMATIONS = 12;
const ETHEREUM = networkNamed('Ethereum');
const TOKEN = 'USDTERC20';
const PATIENCE = 60_000;

let ethereum: Ethereum;

beforeAll(async () => {
	ethereum = await startEthereum('Ethereum', 'regtest');
	await installTokens(ethereum.anvil, 'Ethereum');
	await installContract(ethereum.anvil, 'Flooder', FLOODER);
	await ethereum.mint(TOKEN, FLOODER, 10n ** 12n);
});
afterAll(() => ethereum?.stop());

/** Pays through a transaction whose receipt is too large; in a block of its own. */
async function flood(asset: AssetId, to: string, amount: bigint): Promise<string> {
	const token = asset === 'ETH' ? null : asset;
	const data = callData.payAndFlood(token, to, amount, WORDS);
	const value = hexOf(token === null ? amount : 0n);
	const transaction = { from: CUSTOMER, to: FLOODER, data, value, gas: hexOf(FLOOD_GAS) };
	const txId = String(await ethereum.anvil.rpc('eth_sendTransaction', transaction));
	await ethereum.anvil.mine(1);
	return txId;
}

/** Code that forwards what it is paid, or one wei, to an address. */
const forwarding = (to: string, value: 'CALLVALUE' | 'one wei'): string =>
	`0x6000600060006000${value === 'CALLVALUE' ? '34' : '6001'}73${to.slice(2)}5af100`;

/** In a block of its own; sent again after a reorganisation it is the same transaction. */
async function payThrough(value: bigint, nonce: unknown): Promise<string> {
	const fees = { gas: hexOf(200_000), gasPrice: hexOf(50_000_000_000n), type: '0x0' };
	const transaction = { from: CUSTOMER, to: FORWARDER, value: hexOf(value), nonce, ...fees };
	const txId = String(await ethereum.anvil.rpc('eth_sendTransaction', transaction));
	await ethereum.anvil.mine(1);
	return txId;
}

const nonceOf = (address: string): Promise<unknown> => ethereum.anvil.rpc('eth_getTransactionCount', address, 'latest');

describe('a receipt that is too large to be read', () => {
	it('hides its own transfer, and neither the others of its asset nor another asset', async () => {
		const [attacker, victim, other] = [ethereum.newAddress(), ethereum.newAddress(), ethereum.newAddress()];
		const from = String(await ethereum.height());
		const poison = await flood(TOKEN, attacker, 1n);
		await ethereum.send(TOKEN, victim, 5n);
		await ethereum.pay(other, COIN);
		const watch = (address: string, asset: AssetId) => ({ address, asset, known: [], swept: 0n });
		const watched = [watch(attacker, TOKEN), watch(victim, TOKEN), watch(other, 'ETH')];
		const { deposits, cursor, unread } = await ethereum.chain.scan(from, async () => watched);
		expect(deposits.map(({ address }) => address).toSorted()).toEqual([victim, other].toSorted());
		expect(cursor).toBe(String(await ethereum.height()));
		expect(unread).toEqual([expect.stringContaining(poison)]);
		const again = await ethereum.chain.scan(from, async () => watched);
		expect(again.deposits).toHaveLength(2);
	});

	it('leaves the depth of what it hides unknown, all others known, and is not loaded at each poll', async () => {
		const [attacker, victim] = [ethereum.newAddress(), ethereum.newAddress()];
		const poison = await flood(TOKEN, attacker, 1n);
		const txId = await ethereum.send(TOKEN, victim, 5n);
		const deposit = { asset: TOKEN, position: 'log:0' } as const;
		const hidden = { ...deposit, txId: poison, address: attacker, amount: 1n };
		const found = await ethereum.chain.depths([hidden, { ...deposit, txId, address: victim, amount: 5n }]);
		expect(found).toMatchObject(['unknown', { confirmations: 1 }]);
		const before = ethereum.relay.calls.length;
		expect(await ethereum.chain.depths([hidden])).toEqual(['unknown']);
		const asked = ethereum.relay.calls.slice(before).map(({ method }) => method);
		expect(asked).not.toContain('eth_getTransactionReceipt');
	});

	it('is not needed for coins that a call sends', async () => {
		const address = ethereum.newAddress();
		const from = String(await ethereum.height());
		await flood('ETH', address, COIN);
		const watched = async () => [{ address, asset: 'ETH' as const, known: [], swept: 0n }];
		const { deposits } = await ethereum.chain.scan(from, watched);
		expect(deposits).toMatchObject([{ position: 'internal', amount: COIN }]);
		await ethereum.anvil.mine(CONFIRMATIONS);
		const refs = deposits.map(refOf);
		expect(await ethereum.chain.depths(refs)).toMatchObject([{ confirmations: CONFIRMATIONS + 1 }]);
		const isFinal = ({ confirmations }: { confirmations: number }) => confirmations >= CONFIRMATIONS;
		expect(await ethereum.signer.finalAmount(refs, isFinal, [])).toBe(COIN);
	});
});

it('one asset that the node cannot tell of hides no deposit of another, and is named', async () => {
	const [address, other] = [ethereum.newAddress(), ethereum.newAddress()];
	const from = String(await ethereum.height());
	await ethereum.pay(address, COIN);
	const dai = assetOf('DAIERC20').contract?.toLowerCase().slice(2) ?? '';
	ethereum.relay.intercept(({ method, params }) =>
		/^eth_(call|getCode)$/.test(method) && JSON.stringify(params).toLowerCase().includes(dai)
			? { error: { code: -32000, message: 'missing trie node' } }
			: undefined,
	);
	const watched = async () => [
		{ address: other, asset: 'DAIERC20' as const, known: [], swept: 0n },
		{ address, asset: 'ETH' as const, known: [], swept: 0n },
	];
	const scan = await ethereum.chain.scan(from, watched).finally(() => ethereum.relay.intercept(() => undefined));
	expect(scan).toMatchObject({ deposits: [{ address, amount: COIN }], unseen: ['DAIERC20'] });
	expect(scan.unread).toEqual([expect.stringContaining('no deposit of DAIERC20 is seen')]);
});

describe('a payment from inside a call', () => {
	it('is dropped when a reorganisation makes it smaller, and found again with its new amount', async () => {
		const address = ethereum.newAddress();
		const [from, nonce] = [String(await ethereum.height()), await nonceOf(CUSTOMER)];
		await ethereum.anvil.rpc('anvil_setCode', FORWARDER, forwarding(address, 'CALLVALUE'));
		const txId = await payThrough(COIN, nonce);
		const watched = (known: ReturnType<typeof refOf>[]) => async () => [
			{ address, asset: 'ETH' as const, known, swept: 0n },
		];
		const { deposits, cursor } = await ethereum.chain.scan(from, watched([]));
		expect(deposits).toMatchObject([{ txId, position: 'internal', amount: COIN }]);
		expect(await ethereum.chain.depths(deposits.map(refOf))).toMatchObject([{ confirmations: 1 }]);
		await ethereum.anvil.rpc('anvil_rollback', 1);
		await ethereum.anvil.rpc('anvil_setCode', FORWARDER, forwarding(address, 'one wei'));
		expect(await payThrough(COIN, nonce)).toBe(txId);
		expect(await ethereum.chain.depths(deposits.map(refOf))).toEqual([null]);
		const again = await ethereum.chain.scan(cursor, watched([]));
		expect(again.deposits).toMatchObject([{ txId, position: 'internal', amount: 1n }]);
	});
});

describe('a count of transactions', () => {
	/** A signer whose nodes return these transaction counts of the hot wallet. */
	async function signingWith(counts: readonly (readonly unknown[])[], run: (sign: Sign) => Promise<void>) {
		const relays = await Promise.all(
			counts.map(async (answers) => {
				const left = [...answers];
				return startRelay(ethereum.anvil.url, ({ method }) => {
					const told = method === 'eth_getTransactionCount' ? left.shift() : undefined;
					return told === undefined ? undefined : { result: told };
				});
			}),
		);
		const signer = evmSigner(ETHEREUM, { urls: relays.map(({ url }) => url), chain: 'regtest' }, SEED);
		const to = ethereum.newAddress();
		try {
			await run((...spent) => signer.sign({ id: '1', asset: 'ETH', to, amount: 1n }, signing(...spent)));
		} finally {
			await Promise.all(relays.map((relay) => relay.stop()));
		}
	}
	type Sign = (...spent: string[]) => ReturnType<Ethereum['signer']['sign']>;

	beforeAll(() => ethereum.pay(HOT, 10n * COIN));

	it('that is wrong once makes no first nonce', async () => {
		await signingWith([['0x2710']], async (sign) => {
			await expect(sign()).rejects.toThrow(SigningBlocked);
			expect(textsOf((await sign()).spends)[0]).toBe('nonce:0');
		});
	});

	it('on which two nodes do not agree makes no first nonce', async () => {
		await signingWith([[], ['0x2710', '0x2710']], async (sign) => {
			await expect(sign()).rejects.toThrow(/do not agree/);
			expect(textsOf((await sign()).spends)[0]).toBe('nonce:0');
		});
	});

	it('above what was signed is never followed, and is followed no further when the node is honest again', async () => {
		await signingWith([['0x2710']], async (sign) => {
			await expect(sign('nonce:0')).rejects.toThrow(SigningBlocked);
			expect(textsOf((await sign('nonce:0')).spends)[0]).toBe('nonce:1');
		});
	});

	it('that lies ahead is not taken for paid, and calls a person', async () => {
		const [first, ahead] = [HOT, ethereum.newAddress()];
		expect(await nonceOf(first)).toBe('0x0');
		const chain = evmChain(ETHEREUM, { urls: [ethereum.relay.url], chain: 'regtest' }, HOT);
		const signed = await ethereum.signer.sign({ id: '1', asset: 'ETH', to: ahead, amount: 1n }, signing('nonce:41'));
		expect(textsOf(signed.spends)[0]).toBe('nonce:42');
		await expect(chain.broadcast(signed.raw)).rejects.toThrow(ChainUnavailable);
		vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
		try {
			await expect(chain.broadcast(signed.raw)).rejects.toThrow(BroadcastRejected);
		} finally {
			vi.useRealTimers();
			await ethereum.anvil.rpc('anvil_dropAllTransactions');
		}
	});
});

describe('a recipient', () => {
	/** Runs so many rounds of nothing when it is paid. PUSH3 n, JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI, STOP. */
	const burning = (rounds: number): string => `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045700`;

	it.each([
		['a little more than the', 300, false],
		['more than twice the', 1_500, true],
	])('that burns %s gas of a plain transfer is paid or refused', async (_, rounds, isRefused) => {
		const to = ethereum.newAddress();
		await ethereum.anvil.rpc('anvil_setCode', to, burning(rounds));
		const payment = { id: '1', asset: 'ETH' as const, to, amount: 1n };
		const told = await ethereum.signer.sign(payment, signing()).catch((error: unknown) => error);
		expect(told instanceof PaymentImpossible).toBe(isRefused);
	});

	it('and each deposit cost the house what it says they cost', async () => {
		const address = ethereum.newAddress();
		await ethereum.pay(address, COIN);
		const { amount: likely } = await feeOf(ethereum.chain, 'ETH');
		const coin = await houseCostsOf(ethereum.chain, 'ETH');
		const token = await houseCostsOf(ethereum.chain, TOKEN);
		const [quote] = (await ethereum.chain.sweeping?.quote([{ address, asset: 'ETH' }])) ?? [];
		expect(coin).toEqual({ deposit: quote?.fee, recipient: likely });
		expect(token?.recipient).toBe(0n);
		expect((token?.deposit ?? 0n) > 2n * (coin?.deposit ?? 0n)).toBe(true);
	});
});

describe('the whole service', () => {
	let service: TestService;
	let partner: Credentials;

	interface NetworkRecord {
		readonly name: string;
		readonly answers: boolean;
		readonly lastScannedAt: string | null;
		readonly lastError: string | null;
	}

	const record = async (): Promise<NetworkRecord | undefined> =>
		(await service.operator<NetworkRecord[]>('network/list')).find(({ name }) => name === 'Ethereum');

	const sell = async (fromCcy: AssetId, amount: string): Promise<CreatedOrder> =>
		(await create(service, partner, { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: CUSTOMER }))
			.data;

	const units = (asset: AssetId, amount: string): bigint => toBaseUnits(amount, assetOf(asset).decimals);

	beforeAll(async () => {
		ethereum.relay.intercept(() => undefined);
		service = await startTestService({ NODE_URL_ETHEREUM: ethereum.relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' });
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		for (const [asset, amount] of [
			[TOKEN, '190'],
			['ETH', '0.05'],
		] as const)
			await eventually(`orders of ${asset}`, () => sell(asset, amount), PATIENCE);
	}, 3 * PATIENCE);
	afterAll(() => service?.local.stop());

	it('pays the victims of an unreadable receipt, and names the attacker’s', { timeout: PATIENCE }, async () => {
		const [attack, inside] = [await sell(TOKEN, '190'), await sell('ETH', '0.05')];
		const [token, coin] = [await sell(TOKEN, '190'), await sell('ETH', '0.05')];
		const poison = await flood(TOKEN, attack.from.address, units(TOKEN, '190'));
		await flood('ETH', inside.from.address, units('ETH', '0.05'));
		await ethereum.send(TOKEN, token.from.address, units(TOKEN, '190'));
		await ethereum.pay(coin.from.address, units('ETH', '0.05'));
		for (const order of [token, coin, inside]) await untilStatus(service, partner, order, 'PENDING', PATIENCE);
		await ethereum.anvil.mine(CONFIRMATIONS);
		for (const order of [token, coin, inside]) await untilStatus(service, partner, order, 'DONE', PATIENCE);
		expect((await readOrder(service, partner, attack)).status).toBe('NEW');
		const named = service.logged('chain_anomaly').find((line) => JSON.stringify(line).includes(poison));
		expect(named?.['network']).toBe('Ethereum');
		expect(await record()).toMatchObject({ answers: true, lastError: expect.stringContaining(poison) });
	});

	it('records again what a call sends when a reorganisation makes it smaller', { timeout: PATIENCE }, async () => {
		const order = await sell('ETH', '0.05');
		const nonce = await nonceOf(CUSTOMER);
		await ethereum.anvil.rpc('anvil_setCode', FORWARDER, forwarding(order.from.address, 'CALLVALUE'));
		await payThrough(units('ETH', '0.05'), nonce);
		await untilStatus(service, partner, order, 'PENDING', PATIENCE);
		await ethereum.anvil.rpc('anvil_rollback', 1);
		await ethereum.anvil.rpc('anvil_setCode', FORWARDER, forwarding(order.from.address, 'one wei'));
		await payThrough(units('ETH', '0.05'), nonce);
		await ethereum.anvil.mine(CONFIRMATIONS);
		const deposits = await eventually(
			'the deposit to be final',
			async () => {
				const rows = await service.sql('SELECT state, amount FROM deposits WHERE order_id = ?', order.id);
				return rows[0]?.['state'] === 'final' && rows;
			},
			PATIENCE,
		);
		expect(deposits).toEqual([{ state: 'final', amount: '1' }]);
	});

	it('says since when it sees no deposits, though all else answers', { timeout: PATIENCE }, async () => {
		await sell('ETH', '0.05');
		const blind = { error: { code: -32000, message: 'missing trie node' } };
		ethereum.relay.intercept(({ method }) => (method === 'eth_call' ? blind : undefined));
		await eventually(
			'polls to fail',
			async () => /missing trie node/.test((await record())?.lastError ?? ''),
			PATIENCE,
		);
		// Longer than an upkeep, which comes every four polls: the first one may still tell of the last scan that worked.
		await new Promise((wait) => setTimeout(wait, 5_500));
		const before = await record();
		await new Promise((wait) => setTimeout(wait, 5_500));
		expect((await record())?.lastScannedAt).toBe(before?.lastScannedAt);
		ethereum.relay.intercept(() => undefined);
		await eventually('polls to work', async () => (await record())?.lastScannedAt !== before?.lastScannedAt, PATIENCE);
	});

	it('signs nothing by a count that is wrong, and goes on when it is right', { timeout: PATIENCE }, async () => {
		const hot = await service.hotAddress('Ethereum');
		await ethereum.pay(hot, 10n * COIN);
		const buy = async (): Promise<CreatedOrder> => {
			const bought = { toCcy: 'ETH', toAddress: ethereum.newAddress(), amount: '1' };
			// Once the service knows that its wallet was filled.
			const data = await eventually('an order', async () => (await create(service, partner, bought)).data, PATIENCE);
			await service.operator('sandbox/deposit', { orders: [data.id] });
			return data;
		};
		const payoutOf = async (order: CreatedOrder) => {
			const [row] = await service.sql(
				'SELECT state, blocked_facts AS facts FROM transactions WHERE order_id = ?',
				order.id,
			);
			return row;
		};
		const honest = await buy();
		await untilStatus(service, partner, honest, 'DONE', PATIENCE);
		await ethereum.anvil.mine(1);
		ethereum.relay.intercept(({ method }) => (method === 'eth_getTransactionCount' ? { result: '0x2710' } : undefined));
		const order = await buy();
		const facts = await eventually('a person to be called', async () => (await payoutOf(order))?.['facts'], PATIENCE);
		expect(facts).toMatch(/counts 10000 transactions/);
		expect(await payoutOf(order)).toMatchObject({ state: 'planned' });
		ethereum.relay.intercept(() => undefined);
		await untilStatus(service, partner, order, 'DONE', PATIENCE);
		await ethereum.anvil.mine(1);
		// Gas that a sweep needed may be among them.
		expect(Number(await nonceOf(hot))).toBeOneOf([2, 3]);
	});
});
