/**
 * Our Bitcoin and Dash transactions, checked by implementations that are neither Bitcoin Core's nor ours: bcoin's
 * mempool and chain for Bitcoin, bitcore's addresses and script interpreter for Dash. Neither has a wallet with an RPC
 * like our nodes', so this tests raw transactions; `utxo-chain.test.ts` tests the RPC on litecoind.
 */
import { createRequire } from 'node:module';
import { hex } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { type UtxoKey, utxoKeys } from '../../src/chains/utxo/keys.ts';
import { type UtxoParams, utxoParams } from '../../src/chains/utxo/params.ts';
import { splitBlock } from '../../src/chains/utxo/split.ts';
import { type SigningCoin, signedTransaction } from '../../src/chains/utxo/transaction.ts';

const require = createRequire(import.meta.url);
/** bcoin's packages run their JavaScript: none of them compiles anything when it is installed (package.json, allowScripts). */
process.env.NODE_BACKEND = 'js';
const AMOUNT = 100_000n;
const FEE = 2_000n;

/** Pays `to` and gives the rest back to `hot`. */
function payment(coins: readonly SigningCoin[], to: string, hot: UtxoKey, params: UtxoParams) {
	const script = scriptOf(to, params);
	if (!script) throw new Error(`not an address: ${to}`);
	const change = coins.reduce((sum, coin) => sum + coin.amount, 0n) - AMOUNT - FEE;
	const outputs = [
		{ script, amount: AMOUNT },
		{ script: hot.script, amount: change },
	];
	const signed = signedTransaction(coins, outputs, params.replaceable);
	return { ...signed, change: { txId: signed.txId, vout: 1, amount: change, key: hot } satisfies SigningCoin };
}

describe('Bitcoin, by bcoin', () => {
	const params = utxoParams(NETWORKS.Bitcoin, 'regtest');
	const seed = new Uint8Array(64).fill(3);
	const [hot, first, second] = [
		utxoKeys(seed, params).hot,
		utxoKeys(seed, params).payIn(0),
		utxoKeys(seed, params).payIn(1),
	];

	interface BcoinTransaction {
		readonly outputs: readonly { readonly value: number }[];
		readonly inputs: readonly { readonly witness: { readonly items: readonly Uint8Array[] } }[];
		txid(): string;
		hash(encoding: 'hex'): string;
		refresh(): void;
	}
	interface Block {
		readonly txs: readonly BcoinTransaction[];
		toRaw(): Uint8Array;
		/** Its name, as it is written. */
		rhash(): string;
	}
	interface Bcoin {
		readonly TX: { fromRaw(raw: Buffer): BcoinTransaction };
		readonly chain: {
			readonly tip: unknown;
			readonly state: { hasWitness(): boolean };
			add(block: Block): Promise<unknown>;
		};
		/** Throws what is wrong; gives the hashes of inputs that it does not know, if there are any. */
		readonly mempool: { addTX(transaction: BcoinTransaction): Promise<unknown>; hasEntry(hash: string): boolean };
		mine(to: UtxoKey): Promise<Block>;
	}

	/** A chain in memory, on which segwit is active after a few blocks. */
	async function startBcoin(): Promise<Bcoin> {
		const { Network, Chain, Mempool, Miner, Script, TX } = require('bcoin');
		const network = Object.assign(Network.get('regtest'), { minerWindow: 4, activationThreshold: 3 });
		const chain = new Chain({ network, memory: true });
		const mempool = new Mempool({ network, memory: true, chain });
		const miner = new Miner({ network, chain, mempool });
		for (const part of [chain, mempool, miner]) await part.open();
		chain.on('connect', (entry: unknown, { txs }: Block, view: unknown) => mempool._addBlock(entry, txs, view));
		const mine = async (to: UtxoKey) => {
			miner.addresses = [Script.fromRaw(Buffer.from(to.script)).getAddress()];
			const block = await miner.mineBlock(chain.tip);
			expect(await chain.add(block)).toBeTruthy();
			return block as Block;
		};
		return { TX, chain, mempool, mine };
	}

	const parsed = (raw: string) => bcoin.TX.fromRaw(Buffer.from(raw, 'hex'));
	let bcoin: Bcoin;
	/** A deposit at each of two addresses of ours: block rewards, which can be spent after 100 blocks. */
	let coins: SigningCoin[] = [];

	beforeAll(async () => {
		bcoin = await startBcoin();
		for (const key of [first, second]) {
			const [reward] = (await bcoin.mine(key)).txs;
			coins.push({ txId: String(reward?.txid()), vout: 0, amount: BigInt(reward?.outputs[0]?.value ?? 0), key });
		}
		for (let blocks = 0; blocks < 100; blocks++) await bcoin.mine(hot);
		expect(bcoin.chain.state.hasWitness()).toBe(true);
	});

	test.each([
		['p2pkh', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
		['p2sh', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
		['p2wpkh', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'],
		['p2wsh', 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'],
		['p2tr', 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6'],
	])('a payout to %s, out of deposits or change, is taken into the mempool and a block', async (_, to) => {
		const { raw, txId, change } = payment(coins, to, hot, params);
		const transaction = parsed(raw);
		expect(transaction.txid()).toBe(txId);
		expect(await bcoin.mempool.addTX(transaction)).toBeNull();
		expect(bcoin.mempool.hasEntry(transaction.hash('hex'))).toBe(true);
		const block = await bcoin.mine(hot);
		expect(block.txs.map((each) => each.txid())).toContain(txId);
		coins = [change];
		// And we read its block as it does, with the keys that signed the payment.
		const read = splitBlock(block.toRaw(), block.rhash(), { x11: false });
		expect(read.height).toBe((bcoin.chain.tip as { height: number }).height);
		expect(read.transactions.map(({ id }) => id)).toEqual(block.txs.map((each) => each.txid()));
		const keys = read.transactions.find(({ id }) => id === txId)?.spends.map(({ lock }) => lock && hex.encode(lock));
		expect(keys).toEqual(transaction.inputs.map(({ witness }) => witness.items[1] && hex.encode(witness.items[1])));
	});

	test('with one bit of a signature or of the amount flipped it is refused, so the others were really checked', async () => {
		const { raw } = payment(coins, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', hot, params);
		const forged = parsed(raw);
		const signature = forged.inputs[0]?.witness.items[0];
		if (signature) signature[10] = (signature[10] ?? 0) ^ 1;
		forged.refresh();
		await expect(bcoin.mempool.addTX(forged)).rejects.toThrow('script-verify-flag');
		expect(bcoin.mempool.hasEntry(forged.hash('hex'))).toBe(false);
		// BIP143: the signature covers what it spends.
		const lied = coins.map((coin) => ({ ...coin, amount: coin.amount - 1n }));
		const understated = parsed(payment(lied, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', hot, params).raw);
		await expect(bcoin.mempool.addTX(understated)).rejects.toThrow('script-verify-flag');
	});
});

describe('Dash, by bitcore', () => {
	const params = utxoParams(NETWORKS.Dash, 'main');
	const seed = new Uint8Array(64).fill(5);
	const [hot, deposit] = [utxoKeys(seed, params).hot, utxoKeys(seed, params).payIn(3)];
	const { Address, Networks, PrivateKey, Script, Transaction } = require('bitcore-lib-dash');
	const { Interpreter } = Script;
	const STANDARD =
		Interpreter.SCRIPT_VERIFY_P2SH |
		Interpreter.SCRIPT_VERIFY_STRICTENC |
		Interpreter.SCRIPT_VERIFY_DERSIG |
		Interpreter.SCRIPT_VERIFY_LOW_S;
	/** To a key and to a script. */
	const RECIPIENTS = ['XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5', '7gnwGHt17heGpG9Crfeh4KGpYNFugPhJdh'];

	const coins: readonly SigningCoin[] = [deposit, hot].map((key, vout) => ({
		txId: 'ab'.repeat(32),
		vout,
		amount: 50_000_000n,
		key,
	}));

	const verifies = (transaction: { inputs: { script: unknown }[] }): boolean[] =>
		transaction.inputs.map(({ script }, at) =>
			new Interpreter().verify(
				script,
				Script.fromHex(hex.encode(coins[at]?.key.script ?? seed)),
				transaction,
				at,
				STANDARD,
			),
		);

	test('our addresses are those of our keys', () => {
		for (const { privateKey, address, script } of [hot, deposit]) {
			const key = new PrivateKey(hex.encode(privateKey), Networks.livenet);
			expect(key.toAddress(Networks.livenet).toString()).toBe(address);
			expect(Script.fromAddress(new Address(address)).toHex()).toBe(hex.encode(script));
		}
	});

	test.each(RECIPIENTS)('a payout to %s has our id, pays that script, and its signatures hold', (to) => {
		const { raw, txId, change } = payment(coins, to, hot, params);
		const transaction = new Transaction(raw);
		expect(transaction.id).toBe(txId);
		expect(transaction.verify()).toBe(true);
		const outputs = transaction.outputs as { script: { toHex(): string }; satoshis: number }[];
		expect(outputs.map(({ script, satoshis }) => [script.toHex(), satoshis])).toEqual([
			[Script.fromAddress(new Address(to)).toHex(), Number(AMOUNT)],
			[hex.encode(hot.script), Number(change.amount)],
		]);
		expect(verifies(transaction)).toEqual([true, true]);
	});

	test('of a transaction that was changed after it was signed no signature holds', () => {
		const { raw } = payment(coins, RECIPIENTS[0] ?? '', hot, params);
		const transaction = new Transaction(raw);
		transaction.outputs[0].satoshis += 1;
		expect(verifies(transaction)).toEqual([false, false]);
	});
});
