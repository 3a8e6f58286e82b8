/**
 * Nodes that lie or answer nonsense cost no money and hang nothing. The other networks continue, the log and the
 * operator's lists name the case, and the network resumes by itself once its node tells the truth again.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { type Anvil, type RpcCall, startAnvil, startRelay } from '../support/anvil.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { type LyingNode, type Manner, startLyingNode, truth } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';
import { operatorOf } from '../support/operator.ts';
import { create, ETH_RECIPIENT, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { installTokens } from '../support/tokens.ts';
import { flood } from '../support/utxo-flood.ts';

const POLL = { Ethereum: '1', Litecoin: '1' };
const TRON = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const SOLANA = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
/** For a busy machine; on an idle one each test takes a few seconds. */
const WAIT_MILLISECONDS = 60_000;
const TEST_MILLISECONDS = 3 * WAIT_MILLISECONDS;
/** Large answers are requested rarely, so that the test's own server keeps serving the others. */
const LARGE: readonly NetworkName[] = ['Arbitrum', 'Optimism', 'Bitcoin'];

interface NetworkRecord {
	readonly name: NetworkName;
	readonly answers: boolean;
	readonly hotAddress: string | null;
	readonly lastError: string | null;
	readonly lastErrorAt: string | null;
}

const networkRecord = async (service: TestService, name: NetworkName): Promise<NetworkRecord> => {
	const records = await service.operator<NetworkRecord[]>('network/list');
	const record = records.find((each) => each.name === name);
	if (!record) throw new Error(`no network ${name}`);
	return record;
};

/** Waits until `network list` shows these words. */
const untilTold = (service: TestService, name: NetworkName, words: RegExp) =>
	eventually(
		`${name} to be listed with ${words}`,
		async () => words.test((await networkRecord(service, name)).lastError ?? ''),
		WAIT_MILLISECONDS,
	);

/** An honest node of BSC. */
const ANOTHER_CHAIN = 'another chain id';

/** Each on its own network, all at once. */
const NONSENSE: Readonly<Partial<Record<NetworkName, { manner: Manner | typeof ANOTHER_CHAIN; named: RegExp }>>> = {
	Ethereum: { manner: 'a web page', named: /HTTP 200, and no JSON/ },
	BSC: { manner: 'silence', named: /time/i },
	Polygon: { manner: 'a byte a second', named: /time/i },
	Arbitrum: { manner: 'a text without end', named: /larger than 33554432 bytes|time/ },
	Optimism: { manner: 'five million numbers', named: /more than 250000 values|time/ },
	Avalanche: { manner: ANOTHER_CHAIN, named: /is on chain 56, not on 31337/ },
	Bitcoin: { manner: 'an error as long as a book', named: /blah blah|time/ },
	Litecoin: { manner: 'an error that is no text', named: /no message/ },
	Dash: { manner: 'a hung up call', named: /no node answered/ },
};
const NONSENSICAL = Object.keys(NONSENSE) as NetworkName[];

interface Check {
	readonly network: string;
	readonly who: string;
	readonly what: string;
	readonly ok: boolean;
}

describe('nodes that answer nonsense', { timeout: TEST_MILLISECONDS }, () => {
	let nodes: { readonly url: string; stop(): Promise<void> }[];
	let service: TestService;
	let partner: Credentials;
	const operator = operatorOf(() => service);

	beforeAll(async () => {
		nodes = await Promise.all(
			Object.values(NONSENSE).map(({ manner }) =>
				manner === ANOTHER_CHAIN ? startRelay(null, () => ({ result: '0x38' })) : startLyingNode(manner),
			),
		);
		const urls = NONSENSICAL.map((name, i) => [`NODE_URL_${name.toUpperCase()}`, nodes[i]?.url ?? '']);
		const polls = NONSENSICAL.map((name) => [
			`NODE_POLL_SECONDS_${name.toUpperCase()}`,
			LARGE.includes(name) ? '20' : '1',
		]);
		service = await startTestService(Object.fromEntries([...urls, ...polls]));
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	});
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all(nodes?.map((node) => node.stop()) ?? []);
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it.each(NONSENSICAL)('%s: the operator reads a short reason', async (name) => {
		const { named } = NONSENSE[name] ?? { named: /never/ };
		await untilTold(service, name, named);
		const { answers, lastError, lastErrorAt, hotAddress } = await networkRecord(service, name);
		expect(answers).toBe(false);
		expect(lastError?.length).toBeLessThan(400);
		expect(Date.parse(String(lastErrorAt))).toBeGreaterThan(Date.now() - WAIT_MILLISECONDS);
		expect(hotAddress).toMatch(/\w{30,}/);
		const logged = [...service.logged('poll_failed'), ...service.logged('poll_part_failed')];
		expect(logged.some(({ network }) => network === name)).toBe(true);
	});

	it('take no orders', async () => {
		const toNodes = await create(service, partner, { fromCcy: 'SOL', toCcy: 'AVAX', refundAddress: SOLANA });
		expect(toNodes.code).toBe(11);
		const refund = { refundAddress: ETH_RECIPIENT, toAddress: TRON };
		expect((await create(service, partner, { fromCcy: 'AVAX', toCcy: 'TRX', amount: '5', ...refund })).code).toBe(11);
	});

	it('stop nothing else: a swap between two other networks takes seconds as usual', async () => {
		const started = Date.now();
		const { data: order } = await create(service, partner, {
			fromCcy: 'SOL',
			toCcy: 'TRX',
			amount: '1',
			toAddress: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
			refundAddress: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
		});
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE');
		expect(Date.now() - started).toBeLessThan(15_000);
	});

	it('network check names each of them for both Workers, within its time limit, and exits with 1', async () => {
		const { status, stdout, stderr } = await operator.run('network', 'check', '--json');
		expect([status, stderr]).toEqual([1, 'something is wrong; the answer says what\n']);
		const { problems, checks } = JSON.parse(stdout) as {
			problems: number;
			checks: { network: NetworkName; who: string; what: string; ok: boolean; detail: string }[];
		};
		expect(problems).toBe(2 * NONSENSICAL.length);
		for (const name of NONSENSICAL) {
			const wrong = checks.filter(({ network, ok }) => network === name && !ok);
			expect(wrong.map(({ who }) => who)).toEqual(['agents', 'signer']);
			for (const { detail } of wrong) expect(detail).toMatch(NONSENSE[name]?.named ?? /never/);
		}
		const sandbox = checks.filter(({ network }) => network === 'Solana');
		expect(sandbox.map(({ who, what, ok }) => [who, what, ok])).toEqual([
			['agents', 'sandbox', true],
			['signer', 'sandbox', true],
		]);
	});
});

const COIN = 10n ** 18n;
const FINAL = { Ethereum: 12, Litecoin: 6 };
/** The bytes before the addresses in the program that reads balances (`chains/evm/balances.ts`). */
const BALANCE_CALL = /^0x60286000/;

describe.skipIf(!isInstalled('litecoind') || !isInstalled('anvil'))(
	'nodes that lie',
	{ timeout: TEST_MILLISECONDS },
	() => {
		let anvil: Anvil;
		let litecoind: Litecoind;
		let ethereum: LyingNode;
		let litecoin: LyingNode;
		let service: TestService;
		let partner: Credentials;
		let refundAddress: string;
		let payer: string;

		beforeAll(async () => {
			[anvil, litecoind] = await Promise.all([
				startAnvil({ chainId: TEST_CHAIN_ID, automine: false, slotsInAnEpoch: 1 }),
				startLitecoind(),
			]);
			ethereum = await startLyingNode(truth, anvil.url);
			litecoin = await startLyingNode(truth, litecoind.url);
			await installTokens(anvil, 'Ethereum');
			await anvil.mine(100);
			service = await startTestService({
				NODE_URL_ETHEREUM: ethereum.url,
				NODE_URL_LITECOIN: litecoin.url,
				NODE_CHAIN_LITECOIN: 'regtest',
				NODE_POLL_SECONDS_ETHEREUM: POLL.Ethereum,
				NODE_POLL_SECONDS_LITECOIN: POLL.Litecoin,
			});
			partner = await createPartner(service, { weightPerMinute: 1_000_000 });
			refundAddress = String(await litecoind.rpc('getnewaddress'));
			await takeBeyondReserve(service, 'ETH', 'LTC');
			[payer = ''] = (await anvil.rpc('eth_accounts')) as string[];
			await eventually('both networks to take orders', async () => (await toEther()).code === 0, WAIT_MILLISECONDS);
			const hot = (await networkRecord(service, 'Ethereum')).hotAddress;
			await anvil.rpc('eth_sendTransaction', { from: payer, to: hot, value: `0x${(100n * COIN).toString(16)}` });
			await anvil.mine(1);
		});
		afterAll(async () => {
			await service?.local.stop();
			await Promise.all([ethereum?.stop(), litecoin?.stop(), anvil?.stop(), litecoind?.stop()]);
			if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
		});

		const toEther = (toAddress = ETH_RECIPIENT) => create(service, partner, { toAddress, refundAddress });
		const toDash = (amount = '0.05') =>
			create(service, partner, {
				fromCcy: 'ETH',
				toCcy: 'DASH',
				amount,
				refundAddress: payer,
				toAddress: 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5',
			});
		const pay = async (to: string, value: bigint): Promise<void> => {
			await anvil.rpc('eth_sendTransaction', { from: payer, to, value: `0x${value.toString(16)}` });
			await anvil.mine(1);
		};
		/** One honest swap on each network, from deposit to payout. */
		async function swapsGoThrough(): Promise<void> {
			const [{ data: fromLtc }, { data: fromEth }] = await Promise.all([toEther(), toDash()]);
			await litecoind.rpc('sendtoaddress', fromLtc.from.address, '2');
			await pay(fromEth.from.address, COIN / 20n);
			await litecoind.mine(FINAL.Litecoin);
			await anvil.mine(FINAL.Ethereum);
			await untilStatus(service, partner, fromLtc, 'DONE', WAIT_MILLISECONDS);
			await untilStatus(service, partner, fromEth, 'DONE', WAIT_MILLISECONDS);
			await anvil.mine(1);
		}
		/** The node's own balances, except for one address, which has the given amount. */
		const balanceLie =
			(address: string, balance: bigint) =>
			({ method, params }: RpcCall, told: unknown): unknown => {
				const data = (params[0] as { data?: string } | undefined)?.data?.toLowerCase();
				if (method !== 'eth_call' || typeof told !== 'string' || !data || !BALANCE_CALL.test(data)) return told;
				const addresses: string[] = data.slice(2 + 80).match(/.{40}/g) ?? [];
				const words: string[] = told.slice(2).match(/.{64}/g) ?? [];
				const at = addresses.indexOf(address.slice(2).toLowerCase());
				if (at >= 0) words[at] = balance.toString(16).padStart(64, '0');
				return `0x${words.join('')}`;
			};

		it('are not these yet: swaps go through', swapsGoThrough);

		it('network check finds nothing wrong with the honest ones', async () => {
			const { status, stdout } = await operatorOf(() => service).run('network', 'check', 'litecoin', '--json');
			expect(status).toBe(0);
			const { checks } = JSON.parse(stdout) as { checks: Check[] };
			const asked = ['chain', 'blocks', 'unspent outputs'];
			const ofNetwork = checks.filter(({ network }) => network === 'Litecoin');
			expect(ofNetwork.map(({ who, what, ok }) => [who, what.split(' of ')[0], ok])).toEqual([
				...asked.map((what) => ['agents', what, true]),
				...[...asked, 'daily cap'].map((what) => ['signer', what, true]),
			]);
		});

		it('are named to the operator once three polls in a row failed, and not for one', async () => {
			let busy = 1;
			ethereum.behave(({ method, params }, told) =>
				method === 'eth_getBlockByNumber' && params[0] === 'latest' && busy-- > 0 ? new Error('I am busy') : told,
			);
			const isNamed = async () =>
				(await service.operator<{ area: string; subject: string }[]>('attention')).some(
					({ area, subject }) => area === 'network' && subject === 'Ethereum',
				);
			await untilTold(service, 'Ethereum', /I am busy/);
			expect(await isNamed()).toBe(false);
			busy = Number.POSITIVE_INFINITY;
			await eventually('attention to name the network', isNamed, WAIT_MILLISECONDS);
			ethereum.behave(truth);
		});

		it('about the height do not move the scan back, and lose no deposit', async () => {
			const { data: order } = await toDash();
			ethereum.behave(({ method, params }, told) => {
				const latest = method === 'eth_getBlockByNumber' && params[0] === 'latest';
				return latest ? { ...(told as object), number: '0x5' } : told;
			});
			await untilTold(service, 'Ethereum', /blocks behind what it said before/);
			await pay(order.from.address, COIN / 20n);
			await anvil.mine(FINAL.Ethereum);
			await new Promise((wait) => setTimeout(wait, 3_000));
			expect((await readOrder(service, partner, order)).status).toBe('NEW');
			ethereum.behave(truth);
			await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		});

		it('about an absurd deposit settle nothing by themselves, and delay no other order', async () => {
			const { data: order } = await toDash();
			ethereum.behave(balanceLie(order.from.address, 10n ** 33n));
			const view = await untilStatus(service, partner, order, 'EMERGENCY', WAIT_MILLISECONDS);
			expect(view).toMatchObject({ emergency: { status: ['LIMIT'] } });
			// The partner may choose EXCHANGE, but a payout above the signer's daily cap is not even planned.
			await service.sql("UPDATE orders SET emergency_choice = 'EXCHANGE', chosen_at = 1 WHERE id = ?", order.id);
			await swapsGoThrough();
			expect((await readOrder(service, partner, order)).status).toBe('EMERGENCY');
			expect(await service.sql('SELECT id FROM transactions WHERE order_id = ?', order.id)).toEqual([]);
			await service.operator('ledger/check');
		});

		it('about more coins than exist are rejected', async () => {
			const { data: order } = await toDash();
			ethereum.behave(balanceLie(order.from.address, 2n ** 255n));
			await untilTold(service, 'Ethereum', new RegExp(`order ${order.id} of more coins than there are`));
			expect(service.logged('chain_anomaly').some(({ network }) => network === 'Ethereum')).toBe(true);
			expect((await readOrder(service, partner, order)).status).toBe('NEW');
			await swapsGoThrough();
			ethereum.behave(truth);
		});

		const rowsOf = async (id: string) =>
			(await service.sql<{ rows: number }>('SELECT count(*) AS rows FROM deposits WHERE order_id = ?', id))[0]?.rows;

		it('are not needed for thousands of dust outputs: they make a hundred rows, and delay no other order', async () => {
			const { data: order } = await toEther();
			await flood(litecoind, order.from.address, { transactions: 1, outputs: 5_000, amount: 1n, mined: true });
			await untilTold(service, 'Litecoin', new RegExp(`order ${order.id} is flooded with dust`));
			await swapsGoThrough();
			expect(await rowsOf(order.id)).toBe(100);
			expect((await readOrder(service, partner, order)).status).toBe('NEW');
		});

		it('about the bytes of a block are not believed, and nothing of it is lost', async () => {
			const { data: order } = await toEther();
			const paid = Buffer.alloc(8);
			paid.writeBigUInt64LE(200_000_000n);
			litecoin.behave(({ method }, told) =>
				method === 'getblock' && typeof told === 'string'
					? told.replace(paid.toString('hex'), 'ff'.repeat(3) + '0'.repeat(10))
					: told,
			);
			await litecoind.rpc('sendtoaddress', order.from.address, '2');
			await litecoind.mine(1);
			await untilTold(service, 'Litecoin', /do not hash to its header/);
			expect((await readOrder(service, partner, order)).status).not.toBe('DONE');
			litecoin.behave(truth);
			await litecoind.mine(FINAL.Litecoin);
			await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		});

		it('are believed again when they tell the truth: every payout was owed', async () => {
			await swapsGoThrough();
			const paid = await service.sql<{ orders: number }>(
				"SELECT count(*) AS orders FROM transactions WHERE kind = 'payout' AND state IN ('sent', 'final')",
			);
			const owed = await service.sql<{ orders: number }>("SELECT count(*) AS orders FROM orders WHERE status = 'DONE'");
			expect(paid).toEqual(owed);
		});
	},
);
