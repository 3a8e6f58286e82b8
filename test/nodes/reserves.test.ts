/**
 * Rows of reserves against public nodes, as a stranger verifies them: real litecoind in three dialects, anvil, Solana's virtual
 * machine, and the stand-in of Tron. Each row is of a block; the chain goes on before it is verified.
 */
import { base64, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../src/catalog/networks.ts';
import type { NodeChain } from '../../src/chains/configuration.ts';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import type { ChainSigner } from '../../src/chains/signing-port.ts';
import { TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { utxoJudgeKeys, utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { spentBytes } from '../../src/chains/utxo/prove.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import {
	halfOf,
	joinedTransaction,
	signedTransaction,
	type Unsigned,
	unsignedTransaction,
} from '../../src/chains/utxo/transaction.ts';
import { readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { reserveVerifier, verifyReserve } from '../../src/chains/verify-reserve.ts';
import type { ReserveBlock, ReserveRow } from '../../src/ports/reserves.ts';
import { signReserves } from '../../src/signer/reserves.ts';
import { startRelay } from '../support/anvil.ts';
import { startBlockbook } from '../support/blockbook-front.ts';
import { startEsplora } from '../support/esplora-front.ts';
import { CUSTOMER, HOT as ETHEREUM_HOT, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { installTokens } from '../support/evm-token.ts';
import type { Front } from '../support/front.ts';
import { keepingOf } from '../support/keeping.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';
import * as onSolana from '../support/solana.ts';
import { CUSTOMER as CUSTOMER_OF_TRON, startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const SETUP_MILLISECONDS = 120_000;
const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const CLAIM = { number: 7, debts: 'ab'.repeat(32), at: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };

type Held = Partial<Record<AssetId, bigint>>;

/** `other`: the co-signer, where two judges sign. */
async function rowOf(
	[signer, other]: readonly [ChainSigner, ChainSigner?],
	network: NetworkName,
	block: ReserveBlock,
	held: Held,
): Promise<ReserveRow> {
	const own = { deployment: 'swap', network, indexes: new Map() };
	const asked = { claim: CLAIM, block };
	const cosigner = other && { signReserves: () => signReserves(other, own, asked, [other.hotAddress()]) };
	const [signed] = await signReserves(signer, { ...own, ...(cosigner && { cosigner }) }, asked, [signer.hotAddress()]);
	if (!signed) throw new Error('nothing is signed');
	const { address, message, signature } = signed;
	const holdings = Object.entries(held).map(([asset, amount]) => ({ asset: asset as AssetId, amount: String(amount) }));
	return { network, address, holdings, message, signature };
}

const verdictOf = (row: ReserveRow, url: string, chain: NodeChain = 'regtest') =>
	verifyReserve(row, { ...CLAIM, deployment: 'swap' }, { [row.network]: url }, chain);

const withMore = (row: ReserveRow, asset: AssetId): ReserveRow => ({
	...row,
	holdings: row.holdings.map((each) =>
		each.asset === asset ? { asset, amount: String(BigInt(each.amount) + 1n) } : each,
	),
});

/** Not only what is there counts, but also that not a unit more does. */
async function expectExactly(row: ReserveRow, url: string, chain?: NodeChain): Promise<void> {
	expect(await verdictOf(row, url, chain)).toEqual({ is: 'holds' });
	for (const { asset, amount } of row.holdings) {
		const [found, claimed] = [BigInt(amount), BigInt(amount) + 1n];
		expect(await verdictOf(withMore(row, asset), url, chain)).toEqual({ is: 'short', asset, claimed, found });
	}
}

describe.skipIf(!isInstalled('litecoind'))('a reserve of Litecoin', () => {
	const LITECOIN = networkNamed('Litecoin');
	const COIN = 100_000_000n;
	let node: Litecoind;
	let fronts: readonly Front[];
	let urls: Readonly<Record<string, string>>;
	let row: ReserveRow;

	const blockNow = async (): Promise<ReserveBlock> => {
		const height = Number(await node.rpc('getblockcount'));
		return { height, hash: String(await node.rpc('getblockhash', height)) };
	};

	/** Where it pays the script. */
	async function outputOf(txId: string, script: Uint8Array): Promise<number> {
		const { vout } = (await node.rpc('getrawtransaction', txId, true)) as {
			vout: { n: number; scriptPubKey: { hex: string } }[];
		};
		return vout.find(({ scriptPubKey }) => scriptPubKey.hex === hex.encode(script))?.n ?? -1;
	}

	beforeAll(async () => {
		node = await startLitecoind(['-listen=0', '-txindex=1']);
		const plain = jsonRpc([node.url]);
		const [esplora, blockbook] = [await startEsplora(plain), await startBlockbook(plain)];
		fronts = [esplora, blockbook];
		urls = { core: node.url, esplora: `esplora+${esplora.url}`, blockbook: `blockbook+${blockbook.url}` };
		const signer = utxoSigner(LITECOIN, { urls: [node.url], chain: 'regtest' }, SEED, { keeping: keepingOf() });
		const hot = signer.hotAddress();
		const [spent] = [String(await node.rpc('sendtoaddress', hot, 2)), await node.rpc('sendtoaddress', hot, 3)];
		await node.mine(1);
		row = await rowOf([signer], 'Litecoin', await blockNow(), { LTC: 5n * COIN });
		// Since then one coin has gone, with change, and others have come.
		await node.rpc('sendtoaddress', hot, 4);
		const params = utxoParams(LITECOIN, 'regtest');
		const key = utxoKeys(SEED, params).hot;
		const at = await outputOf(spent, key.script);
		const away = scriptOf(String(await node.rpc('getnewaddress', '', 'bech32')), params) as Uint8Array;
		const outputs = [
			{ script: away, amount: COIN },
			{ script: key.script, amount: COIN - 10_000n },
		];
		const { raw } = signedTransaction([{ txId: spent, vout: at, amount: 2n * COIN, key }], outputs, true);
		await node.rpc('sendrawtransaction', raw);
		await node.mine(1);
		await node.rpc('sendtoaddress', hot, 1);
		await node.mine(2);
		await node.rpc('sendtoaddress', hot, 1);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await Promise.all((fronts ?? []).map((front) => front.stop()));
		await node?.stop();
	});

	test.each(['core', 'esplora', 'blockbook'])('is what its address had in the block, by %s', async (dialect) => {
		await expectExactly(row, urls[dialect] ?? '');
	});

	test('of two judges is what its address had in the block, and litecoind takes what they have signed', async () => {
		const seeds = [SEED, new Uint8Array(64).fill(7)] as const;
		const params = utxoParams(LITECOIN, 'regtest');
		const [ours, theirs] = (['signer', 'cosigner'] as const).map((role, at) => {
			const other = utxoJudgeKeys(seeds[at === 0 ? 1 : 0], params, true);
			const judges = { role, isCosigned: true, other };
			const means = { keeping: keepingOf(), judges };
			return {
				signer: utxoSigner(LITECOIN, { urls: [node.url], chain: 'regtest' }, seeds[at] ?? SEED, means),
				key: utxoKeys(seeds[at] ?? SEED, params, judges).hot,
			};
		});
		if (!ours?.key.shared || !theirs) throw new Error('each judge has the key of both');
		const spent = String(await node.rpc('sendtoaddress', ours.signer.hotAddress(), 2));
		await node.mine(1);
		const shared = await rowOf([ours.signer, theirs.signer], 'Litecoin', await blockNow(), { LTC: 2n * COIN });
		const vout = await outputOf(spent, ours.key.script);
		const [mine, others] = [ours, theirs].map(({ key }) =>
			unsignedTransaction(
				[{ txId: spent, vout, amount: 2n * COIN, key }],
				[{ script: key.script, amount: COIN }],
				true,
			),
		);
		const { raw } = joinedTransaction(mine as Unsigned, halfOf(others as Unsigned));
		await node.rpc('sendrawtransaction', raw, 0);
		await node.mine(1);
		for (const url of Object.values(urls)) await expectExactly(shared, url);

		const { script } = ours.key;
		const lock = hex.encode(ours.key.shared.script);
		const isTakenFor = async (text: string): Promise<boolean> => {
			const { id } = readTransaction(spentBytes(script, text), { x11: false });
			const outpoint = hex.encode(hex.decode(id).toReversed());
			const witness = hex.encode(base64.decode(shared.signature));
			const spending = `00000000000101${outpoint}000000000000000000010000000000000000016a${witness}00000000`;
			const coin = { txid: id, vout: 0, scriptPubKey: hex.encode(script), witnessScript: lock, amount: 0 };
			const { complete } = (await node.rpc('signrawtransactionwithkey', spending, [], [coin])) as { complete: boolean };
			return complete;
		};
		expect(await isTakenFor(shared.message)).toBe(true);
		expect(await isTakenFor(`${shared.message} `)).toBe(false);
	});

	test('beside others is looked up with them, in one pass of the node through its coins', async () => {
		const relay = await startRelay(node.url);
		const [signer, other] = [SEED, new Uint8Array(64).fill(9)].map((seed) =>
			utxoSigner(LITECOIN, { urls: [node.url], chain: 'regtest' }, seed, { keeping: keepingOf() }),
		) as [ChainSigner, ChainSigner];
		await node.rpc('sendtoaddress', other.hotAddress(), 6);
		await node.mine(1);
		const second = await rowOf([other], 'Litecoin', await blockNow(), { LTC: 6n * COIN });
		const first = await rowOf([signer], 'Litecoin', await blockNow(), { LTC: 10n * COIN - 10_000n });
		const verify = reserveVerifier({ nodes: { Litecoin: relay.url }, chain: 'regtest' }, [first, second]);
		const expected = { ...CLAIM, deployment: 'swap' };
		for (const each of [first, second]) {
			expect(await verify(each, expected)).toEqual({ is: 'holds' });
			expect(await verify(withMore(each, 'LTC'), expected)).toMatchObject({ is: 'short' });
		}
		expect(relay.calls.filter(({ method }) => method === 'scantxoutset')).toHaveLength(1);
		await relay.stop();
	});

	test('in a block that the chain does not have, or of long ago, is refused', async () => {
		const signer = utxoSigner(LITECOIN, { urls: [node.url], chain: 'regtest' }, SEED, { keeping: keepingOf() });
		const block = await blockNow();
		const other = await rowOf([signer], 'Litecoin', { ...block, hash: 'cd'.repeat(32) }, { LTC: 1n });
		expect(await verdictOf(other, node.url)).toMatchObject({ is: 'other-block' });
		const first = await rowOf([signer], 'Litecoin', { height: 0, hash: String(await node.rpc('getblockhash', 0)) }, {});
		expect(await verdictOf(first, node.url)).toMatchObject({ is: 'other-block' });
	});

	test('is not checked by a node that does not answer, or is on another chain', async () => {
		expect(await verdictOf(row, 'http://127.0.0.1:1')).toMatchObject({ is: 'unchecked' });
		const main = utxoSigner(LITECOIN, { urls: [node.url], chain: 'main' }, SEED, { keeping: keepingOf() });
		const onMain = await rowOf([main], 'Litecoin', await blockNow(), { LTC: 1n });
		expect(await verdictOf(onMain, node.url, 'main')).toMatchObject({ is: 'unchecked' });
	});
});

describe('a reserve of Ethereum', () => {
	let ethereum: Ethereum;
	beforeAll(async () => {
		ethereum = await startEthereum();
		await installTokens(ethereum.anvil);
	}, SETUP_MILLISECONDS);
	afterAll(() => ethereum?.stop());

	test('is what its address had in the block, of the coin and of tokens', async () => {
		const { anvil, signer } = ethereum;
		await ethereum.mint('USDCERC20', ETHEREUM_HOT, 900n);
		await ethereum.pay(ETHEREUM_HOT, 12n ** 18n);
		const { number, hash } = (await anvil.rpc('eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
		const block = { height: Number(number), hash: String(hash) };
		const row = await rowOf([signer], 'Ethereum', block, { ETH: 12n ** 18n, USDCERC20: 900n });
		await anvil.mine(1);
		await anvil.rpc('anvil_setBalance', ETHEREUM_HOT, '0x1');
		await ethereum.mint('USDCERC20', ETHEREUM_HOT, 100n);
		await expectExactly(row, anvil.url, 'main');
		const other = await rowOf([signer], 'Ethereum', { ...block, hash: `0x${'cd'.repeat(32)}` }, {});
		expect(await verdictOf(other, anvil.url, 'main')).toMatchObject({ is: 'other-block' });
		expect(await verdictOf({ ...row, address: CUSTOMER }, anvil.url, 'main')).toMatchObject({ what: 'address' });
	});
});

describe('a reserve of Solana', () => {
	onSolana.useSolana();

	test('is what its address had in the slot, of the coin and of tokens', async () => {
		const { node, customer, signer, FINALIZED_AFTER, USDC, COIN, HOT } = onSolana;
		await customer.pay(HOT, COIN);
		await customer.payTokens(USDC, HOT, 700n);
		const height = node.slot();
		node.advance(1);
		const { blockhash } = (await jsonRpc([node.url]).call('getBlock', height)) as { blockhash: string };
		const held = { SOL: 101n * COIN, USDCSOL: 700n };
		const row = await rowOf([signer], 'Solana', { height, hash: blockhash }, held);
		node.advance(FINALIZED_AFTER);
		await expectExactly(row, node.url);
		await customer.pay(HOT, 5n);
		await customer.payTokens(USDC, HOT, 6n);
		await customer.pay(HOT, 7n);
		node.advance(FINALIZED_AFTER);
		await expectExactly(row, node.url);
	});

	test('is nothing where its account belongs to a program, whose coins its key does not move', async () => {
		const { node, signer, FINALIZED_AFTER, COIN, HOT } = onSolana;
		const height = node.slot();
		node.advance(1);
		const { blockhash } = (await jsonRpc([node.url]).call('getBlock', height)) as { blockhash: string };
		const row = await rowOf([signer], 'Solana', { height, hash: blockhash }, { SOL: COIN });
		node.place(HOT, { owner: TOKEN_PROGRAM, lamports: 101n * COIN });
		node.advance(FINALIZED_AFTER);
		expect(await verdictOf(row, node.url)).toEqual({ is: 'short', asset: 'SOL', claimed: COIN, found: 0n });
	});
});

describe('a reserve of Tron', () => {
	const TRX = 1_000_000n;
	let tron: TronStandIn;
	beforeAll(async () => {
		tron = await startTronStandIn();
	}, SETUP_MILLISECONDS);
	afterAll(() => tron?.stop());

	test('is what its address had in the block, of a token; of the coin, what it has now suffices', async () => {
		const signer = tronSigner(networkNamed('Tron'), { urls: [tron.url], chain: 'regtest' }, SEED);
		const hot = signer.hotAddress();
		await tron.setBalance(hot, 40n * TRX);
		await tron.payToken(hot, 500n);
		await tron.mine(1);
		const height = await tron.height();
		const found = await fetch(`${tron.url}/wallet/getblockbynum`, { method: 'POST', body: `{"num":${height}}` });
		const { blockID } = (await found.json()) as { blockID: string };
		const block = { height, hash: blockID };
		const row = await rowOf([signer], 'Tron', block, { USDTTRC20: 500n });
		await expectExactly(row, tron.url);
		await tron.payToken(hot, 77n);
		await tron.mine(1);
		await expectExactly(row, tron.url);
		const coins = await rowOf([signer], 'Tron', block, { TRX: 40n * TRX });
		expect(await verdictOf(coins, tron.url)).toEqual({ is: 'holds' });
		await tron.setBalance(hot, 39n * TRX);
		expect(await verdictOf(coins, tron.url)).toMatchObject({ is: 'unchecked', why: expect.stringMatching('39000000') });
		tron.intercept((path) => (path === '/wallet/getaccountbalance' ? { balance: Number(40n * TRX) } : undefined));
		await expectExactly(coins, tron.url);
	});

	test('whose account has other keys is not signed: its own one moves nothing there', async () => {
		const signer = tronSigner(networkNamed('Tron'), { urls: [tron.url], chain: 'regtest' }, SEED);
		const height = await tron.height();
		const found = await fetch(`${tron.url}/wallet/getblockbynum`, { method: 'POST', body: `{"num":${height}}` });
		const { blockID } = (await found.json()) as { blockID: string };
		const row = await rowOf([signer], 'Tron', { height, hash: blockID }, { USDTTRC20: 1n });
		const keys = [{ address: CUSTOMER_OF_TRON, weight: 1 }];
		tron.intercept((path) =>
			path === '/wallet/getaccount'
				? { address: row.address, owner_permission: { permission_name: 'owner', threshold: 1, keys } }
				: undefined,
		);
		expect(await verdictOf(row, tron.url)).toEqual({ is: 'signature-wrong' });
	});
});
