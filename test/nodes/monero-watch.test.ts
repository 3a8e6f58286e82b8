/**
 * What an agent finds on Monero with the view key, by a real monerod: the same that monero-wallet-rpc finds with it, over
 * reorganisations, and nothing that a lying daemon says.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { moneroChain } from '../../src/chains/monero/family.ts';
import { moneroSigner } from '../../src/chains/monero/signing.ts';
import type { Chain, ObservedDeposit } from '../../src/chains/port.ts';
import type { ChainSigner } from '../../src/chains/signing-port.ts';
import type { WalletCoins, Watching } from '../../src/chains/watching-port.ts';
import { keepingOf } from '../support/keeping.ts';
import { NETWORK, XMR } from '../support/monero-wallets.ts';
import { type Monero, startMonero, startTamperer, type Tamperer, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';

const SEED = createHash('sha512').update('watched').digest();
/** Beyond the addresses that a wallet looks ahead. */
const ADDRESSES = 600;
const NOTHING_SPENT: WalletCoins = { blocks: Number.MAX_SAFE_INTEGER, coins: [], sent: [] };

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('the watch over Monero', () => {
	let monero: Monero;
	let relay: Tamperer;
	let wallet: Wallet;
	let signer: ChainSigner;
	let chain: Chain;
	let start: string;

	beforeAll(async () => {
		monero = await startMonero();
		relay = await startTamperer(monero.daemonUrl);
		wallet = await monero.viewOnlyWallet(SEED);
		signer = moneroSigner(
			NETWORK,
			{
				urls: [monero.daemonUrl],
				walletUrl: wallet.url,
				coldWalletUrl: wallet.url,
				restoreHeight: 0,
				chain: 'regtest',
			},
			SEED,
			() => ADDRESSES,
		);
		const pool = Array.from({ length: ADDRESSES }, (_, index) => ({ index, address: signer.payInAddress(index) }));
		await signer.look?.register?.(pool);
		chain = chainAt([monero.daemonUrl]);
		start = (await chain.scan(null, async () => [])).cursor;
	}, 300_000);
	afterAll(async () => {
		await relay?.stop();
		await monero?.stop();
	});

	/** An agent that has nothing yet but the number of its addresses. */
	function chainAt(daemonUrls: readonly string[], storage = sqliteStorage()): Chain {
		const viewKey = async () => signer.hidden?.viewKey() ?? '';
		const walletCoins = async () => NOTHING_SPENT;
		const watching: Watching = { ...keepingOf({}, storage), addressesBelow: () => ADDRESSES, viewKey, walletCoins };
		return moneroChain(NETWORK, { urls: daemonUrls, chain: 'regtest' }, signer.hotAddress(), watching);
	}

	const shown = (txId: string, position: string, amount: bigint, height: number | null) =>
		`${txId} ${position} ${amount} ${height ?? 'pool'}`;
	async function found(by = chain): Promise<string[]> {
		const { deposits, locked = [] } = await by.scan(start, async () => []);
		const text = ({ txId, position, amount, height }: ObservedDeposit) => shown(txId, position, amount, height);
		return [...deposits, ...locked].map(text).sort();
	}

	/** In the same words, what monero-wallet-rpc has found since. */
	async function foundByWallet(): Promise<string[]> {
		await wallet.call('refresh');
		const { in: mined = [], pool = [] } = await wallet.call('get_transfers', { in: true, pool: true });
		return [...mined, ...pool]
			.filter(({ type, height }) => type === 'pool' || height > Number(start) - 20)
			.map(({ txid, type, amount, height, subaddr_index: { major, minor } }) =>
				shown(txid, `${major}/${minor}`, BigInt(amount), type === 'pool' ? null : height),
			)
			.sort();
	}

	const pay = async (destinations: readonly (readonly [string, bigint])[], more: object = {}): Promise<string> => {
		await monero.miner('refresh');
		const paid = destinations.map(([address, amount]) => ({ address, amount: Number(amount) }));
		return (await monero.miner('transfer', { destinations: paid, ...more })).tx_hash;
	};

	async function confirmed(txId: string): Promise<void> {
		for (let blocks = 0; blocks < 5; blocks++) {
			await monero.mine(1);
			if ((await chain.transactionDepth(txId))?.height !== null) return;
		}
		throw new Error(`no block has ${txId}`);
	}

	test('finds what monero-wallet-rpc finds: subaddresses near and far, several keys, locked ones and a coinbase', async () => {
		const [first, second, far] = [0, 1, 499].map((index) => signer.payInAddress(index)) as [string, string, string];
		await pay([[first, XMR]]);
		await pay([[far, 5n]]);
		// With a key of its own for each output.
		await pay([
			[first, 3n],
			[first, 4n],
			[second, 2n * XMR],
			[monero.minerAddress, XMR],
			[signer.hotAddress(), 7n],
		]);
		await pay([[signer.hotAddress(), XMR / 3n]]);
		const last = await pay([[far, XMR]], { unlock_time: Number(start) + 40 });
		const pooled = await foundByWallet();
		expect(pooled.length).toBe(7);
		expect(await found()).toEqual(pooled);
		const more = { amount_of_blocks: 1, wallet_address: signer.hotAddress() };
		await monero.daemon('generateblocks', more);
		await confirmed(last);
		await monero.mine(1);
		const mined = await foundByWallet();
		expect(mined.length).toBe(8);
		expect(await found()).toEqual(mined);
		// One that was made again reads the same, and knows its addresses without being told.
		expect(await found(chainAt([monero.daemonUrl]))).toEqual(mined);
	});

	test('counts a coinbase sixty blocks later, and what its payer has locked when the lock ends', async () => {
		const { locked = [] } = await chain.scan(start, async () => []);
		const isCoinbase = ({ amount }: ObservedDeposit) => amount > 10n * XMR || amount % 10n !== 0n;
		expect(locked.length).toBe(2);
		expect(locked.filter(isCoinbase).length).toBe(1);
		await monero.mine(62);
		const later = await chain.scan(start, async () => []);
		expect(later.locked).toEqual([]);
		const ends = locked.map(({ txId }) => later.deposits.find((each) => each.txId === txId)?.amount);
		expect(ends).toEqual(locked.map(({ amount }) => amount));
	});

	test('follows a reorganisation, by blocks that are dropped and by a longer chain beside them, as monero-wallet-rpc does', async () => {
		await confirmed(await pay([[signer.payInAddress(2), XMR]]));
		await monero.mine(1);
		const before = await found();
		expect(before).toEqual(await foundByWallet());
		await monero.post('pop_blocks', { nblocks: 2 });
		await expect(chain.scan(start, async () => [])).rejects.toThrow('were read before');
		await monero.mine(3);
		expect(await found()).toEqual(await foundByWallet());
		const { height } = await monero.daemon('get_info');
		const { block_header: fork } = await monero.daemon('get_block_header_by_height', { height: height - 4 });
		const beside = { amount_of_blocks: 6, wallet_address: monero.minerAddress, prev_block: fork.hash };
		await monero.daemon('generateblocks', beside);
		expect((await monero.daemon('get_info')).height).toBe(height + 3);
		const after = await found();
		expect(after).toEqual(await foundByWallet());
		expect(after).not.toEqual(before);
		expect(await found(chainAt([monero.daemonUrl]))).toEqual(after);
	});

	describe('a daemon', () => {
		const scanned = (by: Chain) => by.scan(start, async () => []);

		test.each<[string, (path: string, body: { method?: string }, answer: never) => unknown]>([
			[
				'cuts blocks',
				(_, { method }, answer) => (method === 'get_block' ? cutBlock(answer, (blob) => blob.slice(0, -64)) : answer),
			],
			[
				'adds to blocks a transaction that is not there',
				(_, { method }, answer) =>
					method === 'get_block' ? cutBlock(answer, (blob) => `${blob}${'ab'.repeat(32)}`) : answer,
			],
			[
				'shows blocks of a version that nobody knows',
				(_, { method }, answer) => (method === 'get_block' ? cutBlock(answer, (blob) => `11${blob.slice(2)}`) : answer),
			],
			[
				'shows one block for another',
				(_, { method }, answer) =>
					method === 'get_block' ? cutBlock(answer, (blob) => `${blob.slice(0, 40)}00${blob.slice(42)}`) : answer,
			],
			[
				'leaves transactions out',
				(path, _, answer) => (path === '/get_transactions' ? { ...(answer as object), txs: [] } : answer),
			],
			[
				'shows other bytes of transactions',
				(path, _, answer) =>
					path === '/get_transactions'
						? JSON.parse(JSON.stringify(answer).replaceAll(/"(pruned_as_hex|as_hex)":"02/g, '"$1":"0200'))
						: answer,
			],
		])('that %s is not believed, and what it said is forgotten', async (_what, response) => {
			const storage = sqliteStorage();
			relay.tamper({ response });
			await expect(scanned(chainAt([relay.url], storage))).rejects.toThrow(ChainUnavailable);
			relay.tamper(null);
			expect(await found(chainAt([relay.url], storage))).toEqual(await found());
		});

		test('that hides its mempool hides nothing that is in a block', async () => {
			const txId = await pay([[signer.payInAddress(3), XMR]]);
			relay.tamper({ response: (path, _, answer) => (path.includes('pool') ? { status: 'BUSY' } : answer) });
			const hidden = chainAt([relay.url]);
			expect((await found(hidden)).filter((text) => text.includes(txId))).toEqual([]);
			await confirmed(txId);
			expect(await found(hidden)).toEqual(await found());
			relay.tamper(null);
		});

		test('that differs from another one about a block stops the reading, and one that is down does not', async () => {
			const both = chainAt([monero.daemonUrl, relay.url]);
			relay.tamper({
				response: (_, { method }, answer) =>
					method === 'get_block_header_by_height'
						? { ...answer, result: { ...answer.result, block_header: { hash: 'ab'.repeat(32) } } }
						: answer,
			});
			await expect(scanned(both)).rejects.toThrow('the daemons differ');
			relay.tamper(null);
			expect(await found(both)).toEqual(await found());
			for (const urls of [
				[monero.daemonUrl, 'http://127.0.0.1:9'],
				['http://127.0.0.1:9', monero.daemonUrl],
			])
				expect(await found(chainAt(urls))).toEqual(await found());
		});

		test('that was set back is not believed before it has caught up, and nothing is forgotten meanwhile', async () => {
			const { height } = await monero.daemon('get_info');
			const storage = sqliteStorage();
			const back = chainAt([relay.url], storage);
			const before = await found(back);
			const { block_header } = await monero.daemon('get_block_header_by_height', { height: height - 6 });
			relay.tamper({
				response: (_, { method }, answer) =>
					method === 'get_info'
						? { ...answer, result: { ...answer.result, height: height - 5, top_block_hash: block_header.hash } }
						: answer,
			});
			await expect(scanned(back)).rejects.toThrow(`monerod has only ${height - 5} blocks`);
			relay.tamper(null);
			expect(await found(back)).toEqual(before);
		});
	});
});

function cutBlock(answer: never, change: (blob: string) => string): unknown {
	const { result } = answer as { result: { blob: string } };
	return { ...(answer as object), result: { ...result, blob: change(result.blob) } };
}
