/** The book of coins over a real node: lost and read again, behind, on another branch, and where blocks are missing. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoLook } from '../../src/chains/utxo/look.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { provenChain } from '../../src/chains/utxo/proving.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import type { Before, Keeping } from '../../src/chains/watching-port.ts';
import { keepingOf } from '../support/keeping.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { type LyingNode, startLyingNode, truth } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet } from '../support/reservations.ts';

const COIN = 100_000_000n;
const FINAL = 6;
/** Blocks of one reading. */
const AT_ONCE = 200;

describe.skipIf(!isInstalled('litecoind'))('the book of coins', () => {
	let node: Litecoind;
	let proxy: LyingNode;
	let miner = '';

	beforeAll(async () => {
		node = await startLitecoind();
		proxy = await startLyingNode(truth, node.url);
		miner = String(await node.rpc('getnewaddress'));
	});
	afterAll(async () => {
		await proxy?.stop();
		await node?.stop();
	});

	/** Agent and signer of one seed; each test has its own. */
	async function exchange(name: string, network = NETWORKS.Litecoin) {
		const seed = createHash('sha512').update(name).digest();
		const at = { urls: [proxy.url], chain: 'regtest' as const };
		const hotAddress = utxoKeys(seed, utxoParams(network, 'regtest')).hot.address;
		const signing = (keeping: Keeping) => ({
			...utxoSigner(network, at, seed, { keeping }),
			look: utxoLook(network, at, keeping, { hotAddress, prove: provenChain }).look,
		});
		const signer = signing(keepingOf({}));
		const payIn = signer.payInAddress(0);
		const addresses = [payIn, signer.hotAddress()];
		const watching = (before: Partial<Before> = {}) => utxoChain(network, at, signer.hotAddress(), keepingOf(before));
		const chain = watching();
		const own = addresses.map((address, at) => ({ index: at === 0 ? 0 : -1, address }));
		for (const { register } of [chain, signer.look]) await register(own);
		const state = { spent: new ReservationSet(), indexesOf: () => new Map([[payIn, 0]]) };
		return { chain, signer, payIn, addresses, own, watching, signing, state };
	}
	const pay = async (address: string, amount: string) => String(await node.rpc('sendtoaddress', address, amount));
	const scan = (chain: ReturnType<typeof utxoChain>, cursor: string | null = null) =>
		chain.scan(cursor, async () => []);

	it('that is lost is read again from the block of its oldest unspent coin, and says the same', async () => {
		const { chain, payIn, addresses, own, watching, signing, state } = await exchange('lost');
		await pay(payIn, '1');
		await node.mine(20);
		await pay(payIn, '0.5');
		await node.mine(FINAL);
		const { deposits, readFrom, height } = await scan(chain);
		const again = { isAgain: true, from: readFrom ?? -1, addresses };
		expect(height - again.from).toBeGreaterThan(25);
		const other = watching(again);
		await other.register(own);
		expect((await scan(other)).deposits).toEqual(deposits);
		expect(await other.balance('LTC')).toBe((3n * COIN) / 2n);
		expect(await other.holdings('LTC', [])).toBe(await chain.holdings('LTC', []));
		const signer = signing(keepingOf(again));
		expect(await signer.finalAmount(deposits, ({ confirmations }) => confirmations >= FINAL, [])).toBe(
			(3n * COIN) / 2n,
		);
		const payment = { id: 'payment', asset: 'LTC' as const, to: miner, amount: COIN };
		expect((await signer.sign(payment, state)).spends).toHaveLength(2);
	});

	it('that is lost together with the journal does not call a payment unsent of which it cannot know', async () => {
		const { addresses, signing } = await exchange('doubtful');
		const signer = signing(keepingOf({ isAgain: true, from: Number(await node.rpc('getblockcount')), addresses }));
		await signer.look.register([]);
		const asked = signer.look.paymentsTo?.('LTC', [miner], 0);
		await expect(asked).rejects.toThrow(/are not in the coin book, and a payment since/);
	});

	it('reads a bounded number of blocks at once, says how far it is, and goes on', async () => {
		const { addresses, watching, own } = await exchange('behind');
		await node.mine(AT_ONCE + 30 - Number(await node.rpc('getblockcount')));
		const height = Number(await node.rpc('getblockcount'));
		const chain = watching({ isAgain: true, from: height - 50, addresses });
		await chain.register(own);
		const first = {
			txId: 'a'.repeat(64),
			position: '0',
			address: own[0]?.address ?? '',
			asset: 'LTC',
			amount: 1n,
		} as const;
		const behind = await exchange('behind more');
		const slow = behind.watching({ isAgain: true, from: 1, addresses: behind.addresses });
		await slow.register(behind.own);
		const scanned = await scan(slow);
		// Fewer on a slow machine: one reading has a time too.
		expect(scanned.height).toBeLessThanOrEqual(AT_ONCE);
		expect(scanned.unread).toEqual([`blocks are being read: block ${scanned.height} of ${height}`]);
		expect(scanned.deposits).toEqual([]);
		expect(await scan(chain)).toMatchObject({ height, unread: [] });
		expect(await chain.depths([first])).toEqual([null]);
		while ((await scan(slow)).height < height);
		expect(await slow.balance('LTC')).toBe(0n);
	});

	it('keeps what it has while a block is pruned, and goes on when somebody serves it', async () => {
		const { chain, payIn } = await exchange('pruned');
		const { cursor } = await scan(chain);
		await pay(payIn, '1');
		await node.mine(1);
		proxy.behave(({ method }, told) => (method === 'getblock' ? new Error('Block not available (pruned data)') : told));
		await expect(scan(chain, cursor)).rejects.toThrow(ChainUnavailable);
		await expect(scan(chain, cursor)).rejects.toThrow('pruned data');
		await expect(chain.balance('LTC')).rejects.toThrow(ChainUnavailable);
		proxy.behave(truth);
		expect((await scan(chain, cursor)).deposits).toMatchObject([{ amount: COIN, confirmations: 1 }]);
	});

	it('undoes a reorganisation of many blocks, and with it what they paid and what they spent', async () => {
		const { chain, signer, payIn, state } = await exchange('undone');
		await pay(payIn, '1');
		await node.mine(FINAL);
		const [first] = await node.mine(1);
		const payment = { id: 'payment', asset: 'LTC' as const, to: miner, amount: COIN / 2n };
		const signed = await signer.sign(payment, state);
		await chain.broadcast(signed.raw);
		const later = await pay(payIn, '0.25');
		await node.mine(8);
		const { cursor, deposits } = await scan(chain);
		expect(deposits.map(({ amount }) => amount)).toEqual([COIN, COIN / 4n]);
		expect((await chain.transactionDepth(signed.txId))?.confirmations).toBe(8);
		expect((await signer.look.transactionDepth(signed.txId))?.confirmations).toBe(8);
		// A node puts back into its mempool what up to ten undone blocks held.
		await node.rpc('invalidateblock', first);
		for (let blocks = 0; blocks < 10; blocks++) await node.rpc('generateblock', miner, []);
		// The coins that the payer spent may not have been there yet when the blocks were undone.
		const { hex } = (await node.rpc('gettransaction', later)) as { hex: string };
		await node.rpc('sendrawtransaction', hex);
		// Back in the mempool, both of them.
		expect((await chain.transactionDepth(signed.txId))?.confirmations).toBe(0);
		expect((await signer.look.transactionDepth(signed.txId))?.confirmations).toBe(0);
		const after = await scan(chain, cursor);
		expect(after.deposits.find(({ txId }) => txId === later)).toMatchObject({ confirmations: 0 });
		expect(await chain.balance('LTC')).toBe(COIN / 2n - signed.fee);
		await node.mine(FINAL);
		expect(await chain.balance('LTC')).toBe((COIN * 3n) / 4n - signed.fee);
	});

	it('of a signer shows a payment that an earlier one made, and where the mempool hides it, that something spends our coins', async () => {
		const { signer, payIn, signing, addresses, state, chain } = await exchange('earlier');
		await pay(payIn, '1');
		await node.mine(FINAL);
		const from = Number(await node.rpc('getblockcount')) - FINAL;
		const forgetful = signing(keepingOf({ isAgain: false, from, addresses }));
		const to = String(await node.rpc('getnewaddress', '', 'bech32'));
		const paid = () => forgetful.look.paymentsTo?.('LTC', [to], Date.now() - 3_600_000);
		expect(await paid()).toEqual([]);
		const signed = await signer.sign({ id: 'payment', asset: 'LTC', to, amount: COIN / 2n }, state);
		await chain.broadcast(signed.raw);
		const found = [{ txId: signed.txId, to, amount: COIN / 2n }];
		expect(await paid()).toEqual(found);
		const other = signing(keepingOf({ isAgain: false, from, addresses }));
		// A mempool that is too large to be listed, as Bitcoin's is.
		proxy.behave(({ method }, told) => (method === 'getmempoolinfo' ? { ...(told as object), size: 300_000 } : told));
		await expect(other.look.paymentsTo?.('LTC', [to], Date.now() - 3_600_000)).rejects.toThrow('in the mempool spends');
		await node.mine(1);
		expect(await other.look.paymentsTo?.('LTC', [to], Date.now() - 3_600_000)).toEqual(found);
		proxy.behave(truth);
	});

	it('takes a block of Dash for settled once the nodes say that a ChainLock has it; the signer wants two that say so', async () => {
		// Litecoin's node stands in for Dash's, whose addresses then have Litecoin's prefixes.
		const params = {
			...utxoParams(NETWORKS.Dash, 'regtest'),
			...addressesOf(utxoParams(NETWORKS.Litecoin, 'regtest')),
		};
		const dash = { ...NETWORKS.Dash, params: { ...params, regtest: params } };
		const { chain, signer, payIn } = await exchange('locks', dash as never);
		await pay(payIn, '1');
		const [block] = await node.mine(1);
		const { deposits } = await scan(chain);
		expect(deposits).toMatchObject([{ asset: 'DASH', irreversible: false, confirmations: 1 }]);
		proxy.behave(({ method, params: [hash] }, told) =>
			method === 'getblockheader' && typeof told === 'object' && hash === block ? { ...told, chainlock: true } : told,
		);
		expect((await scan(chain)).deposits).toMatchObject([{ irreversible: true }]);
		expect(await chain.depths(deposits)).toMatchObject([{ irreversible: true }]);
		expect(await signer.finalAmount(deposits, ({ irreversible }) => irreversible, [])).toBe(0n);
		proxy.behave(truth);
	});
});

const addressesOf = ({ hrp, p2pkh, p2sh }: ReturnType<typeof utxoParams>) => ({ hrp, p2pkh, p2sh });
