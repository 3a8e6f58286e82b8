/**
 * Monero for tests: the programs, the wallets that both Workers use, the chain, the signer, and transfers of a
 * customer. All tests share one chain and use addresses of their own.
 */
import { createHash } from 'node:crypto';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { moneroChain } from '../../src/chains/monero/family.ts';
import { createColdWallet } from '../../src/chains/monero/new-wallets.ts';
import type { MoneroSigningNodeConfig } from '../../src/chains/monero/node-config.ts';
import { moneroSigner } from '../../src/chains/monero/signing.ts';
import type { Chain, ObservedDeposit, Scan } from '../../src/chains/port.ts';
import type { ChainSigner } from '../../src/chains/signing-port.ts';
import type { Watching } from '../../src/chains/watching-port.ts';
import { keepingOf } from './keeping.ts';
import { type Monero, startMonero, startTamperer, type Tamperer, type Wallet } from './monerod.ts';
import { sqliteStorage } from './sqlite-storage.ts';

export const XMR = 1_000_000_000_000n;
/** Blocks after which a coin can be spent, and a deposit is final. */
export const LOCK = 10;
export const NETWORK = NETWORKS.Monero;
export const ADDRESSES = 100;
export const SEED = createHash('sha512').update('monero').digest();
/** Deposits of one transaction: it has 16 outputs at most. */
const PAID_AT_ONCE = 12;

export interface MoneroWallets {
	readonly monero: Monero;
	/** The view-only wallet. */
	readonly watching: Wallet;
	readonly cold: Wallet;
	/** Between the signer and the view-only wallet. */
	readonly proposer: Tamperer;
	/** Between the signer and monerod. */
	readonly daemon: Tamperer;
	/** What the signer asks: both tamperers, and the cold wallet. */
	readonly node: MoneroSigningNodeConfig;
	/** Asks monerod directly, and the signer for its wallets. */
	readonly chain: Chain;
	readonly signer: ChainSigner;
	/** A chain that has kept nothing yet. */
	chainAt(...daemonUrls: string[]): Chain;
	/** A pay-in address that no other test uses. */
	freshAddress(): string;
	scan(cursor?: string | null): Promise<Scan>;
	depositsAt(...addresses: string[]): Promise<readonly ObservedDeposit[]>;
	/** Mines until the transaction is in a block: a busy monerod leaves a new payment out of a block. */
	confirm(txId: string): Promise<void>;
	/** From now on the cold wallet is one of the same keys that knows no outputs. */
	createColdAgain(): Promise<void>;
	/** Makes final deposits, one coin each. */
	fund(...amounts: bigint[]): Promise<void>;
	stop(): Promise<void>;
}

export async function startMoneroWallets(): Promise<MoneroWallets> {
	const monero = await startMonero();
	const [watching, cold] = await Promise.all([monero.viewOnlyWallet(SEED), monero.coldWallet(SEED)]);
	const [proposer, daemon] = await Promise.all([startTamperer(watching.url), startTamperer(monero.daemonUrl)]);
	const node: MoneroSigningNodeConfig = {
		walletUrl: proposer.url,
		urls: [daemon.url],
		coldWalletUrl: cold.url,
		restoreHeight: 0,
		chain: 'regtest',
	};
	const signer = moneroSigner(NETWORK, node, SEED, () => ADDRESSES);
	const chainAt: MoneroWallets['chainAt'] = (...daemonUrls) =>
		moneroChain(NETWORK, { urls: daemonUrls, chain: 'regtest' }, signer.hotAddress(), watchingOf(signer));
	const chain = chainAt(monero.daemonUrl);
	const pool = Array.from({ length: ADDRESSES }, (_, index) => ({ index, address: signer.payInAddress(index) }));
	for (const look of [chain, signer.look])
		await look?.register?.([...pool, { index: -1, address: signer.hotAddress() }]);
	let next = 0;
	const freshAddress = (): string => signer.payInAddress(next++);
	const scan: MoneroWallets['scan'] = (cursor = null) => chain.scan(cursor, async () => []);
	return {
		monero,
		watching,
		cold,
		proposer,
		daemon,
		node,
		chain,
		signer,
		chainAt,
		freshAddress,
		scan,
		depositsAt: async (...addresses) => (await scan()).deposits.filter(({ address }) => addresses.includes(address)),
		async confirm(txId) {
			for (let blocks = 0; blocks < 5; blocks++) {
				await monero.mine(1);
				if (((await chain.transactionDepth(txId))?.height ?? null) !== null) return;
			}
			throw new Error(`no block has ${txId}`);
		},
		async createColdAgain() {
			await createColdWallet(cold.url, SEED, { filename: 'again', password: '', restoreHeight: 0 });
		},
		async fund(...amounts) {
			const destinations = amounts.map((amount) => ({ address: freshAddress(), amount: Number(amount) }));
			await monero.miner('refresh');
			for (let paid = 0; paid < destinations.length; paid += PAID_AT_ONCE)
				await monero.miner('transfer', { destinations: destinations.slice(paid, paid + PAID_AT_ONCE) });
			await monero.mine(LOCK + 2);
		},
		async stop() {
			await Promise.all([proposer.stop(), daemon.stop()]);
			await monero.stop();
		},
	};
}

/** As an agent that has given out all addresses of these tests. `storage`: what it has kept. */
export function watchingOf({ hidden }: ChainSigner, storage = sqliteStorage()): Watching {
	if (!hidden) throw new Error('a signer that hides nothing');
	const { viewKey, walletCoins } = hidden;
	return { ...keepingOf({}, storage), addressesBelow: () => ADDRESSES, viewKey: async () => viewKey(), walletCoins };
}

/**
 * As a reorganisation does it that brings the same payments to the wallet one block later: all that it holds, or those
 * from the block of `without` on, which it leaves out.
 */
export async function reorganise(monero: Monero, watching: Wallet, without?: string): Promise<void> {
	const { transfers } = await watching.call('incoming_transfers', { transfer_type: 'available', account_index: 0 });
	const ours: { block_height: number; tx_hash: string }[] = transfers;
	const first = ours.filter(({ tx_hash }) => without === undefined || tx_hash === without);
	const from = Math.min(...first.map(({ block_height }) => block_height));
	const moved = ours.filter(({ block_height, tx_hash }) => block_height >= from && tx_hash !== without);
	const kept = [...new Set(moved.map(({ tx_hash }) => tx_hash))];
	const { txs_as_hex } = await monero.post('get_transactions', { txs_hashes: kept });
	const { height } = await monero.daemon('get_info');
	await monero.post('pop_blocks', { nblocks: height - from });
	await monero.daemon('flush_txpool');
	await monero.mine(1);
	for (const tx_as_hex of txs_as_hex ?? []) await monero.post('send_raw_transaction', { tx_as_hex });
	await monero.mine(height - from + 1);
}
