/**
 * Solana for a test file: a node with the real virtual machine, a relay that counts and intercepts calls, the chain,
 * the signer, and a customer with coins and tokens.
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { Chain, DepositRef, ObservedDeposit, WatchedAddress } from '../../src/chains/port.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { ChainSigner, Payment, SigningState } from '../../src/chains/signing-port.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/solana/keys.ts';
import { solanaSigner } from '../../src/chains/solana/signing.ts';
import { type Relay, startRelay } from './anvil.ts';
import { ReservationSet } from './reservations.ts';
import { type SolanaNode, startSolanaNode } from './solana-node.ts';
import { placeTokens, type SolanaWallet, SYSTEM_PROGRAM, solanaWallet } from './solana-wallet.ts';

export const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
export const HOT = hotAddress(SEED);
export const SOLANA = networkNamed('Solana');
export const COIN = 1_000_000_000n;
export const FINALIZED_AFTER = 32;
/** Lamports that an account must hold to exist: one with SOL only, and one with tokens. */
export const [WALLET_RENT, TOKEN_RENT] = [890_880n, 2_039_280n];
export const mintOf = (code: AssetId): string => assetOf(code).contract ?? '';
export const [USDT, USDC] = [mintOf('USDTSOL'), mintOf('USDCSOL')];
export const FOREIGN_MINT = 'So11111111111111111111111111111111111111112';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

export const addressOf = (index: number): string => payInAddress(SEED, index);

export const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount,
});

export const watch = (address: string, asset: AssetId = 'SOL', known: readonly DepositRef[] = [], swept = 0n) => ({
	address,
	asset,
	known: known.map(refOf),
	swept,
});

export const watching =
	(...open: WatchedAddress[]) =>
	async () =>
		open;

export const payment = (to: string, amount: bigint, more: Partial<Payment> = {}): Payment => ({
	id: 'payout-1',
	asset: 'SOL',
	to,
	amount,
	...more,
});

export const signing = (...spent: Reservation[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});

export const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Solana', depth, null);

interface Solana {
	readonly node: SolanaNode;
	/** Between the node and both the chain and the signer. */
	readonly relay: Relay;
	readonly chain: Chain;
	readonly signer: ChainSigner;
	/** Before each test: refills the hot wallet, ends interceptions and starts to count calls. Makes a new customer. */
	reset(): Promise<SolanaWallet>;
	/** An index that no other test of the file uses. */
	newIndex(): number;
	newAddress(): string;
	/** From here on, `calls` counts from zero. */
	startCounting(): void;
	calls(method: string): number;
	scan(...open: WatchedAddress[]): Promise<readonly ObservedDeposit[]>;
	lamportsOf(address: string): bigint;
	/** Mines until all transactions so far are finalized. */
	finalize(): void;
	stop(): Promise<void>;
}

async function startSolana(): Promise<Solana> {
	const node = await startSolanaNode({ finalizedAfter: FINALIZED_AFTER });
	const relay = await startRelay(node.url);
	const chain = solanaChain(SOLANA, { urls: [relay.url], chain: 'regtest' }, HOT);
	const signer = solanaSigner(SOLANA, { urls: [relay.url], chain: 'regtest' }, SEED);
	for (const each of [USDT, USDC, FOREIGN_MINT]) node.placeMint(each, 6, HOT);
	await chain.register([]);
	let lastIndex = 0;
	let countedFrom = 0;
	const newIndex = (): number => {
		lastIndex += 1;
		return lastIndex;
	};
	const startCounting = (): void => {
		countedFrom = relay.calls.length;
	};
	return {
		node,
		relay,
		chain,
		signer,
		newIndex,
		startCounting,
		async reset() {
			relay.intercept(() => undefined);
			node.setRecentPrices([]);
			node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 100n * COIN });
			await placeTokens(node, USDT, HOT, 1_000_000n);
			const customer = await solanaWallet(node, 1_000n * COIN);
			for (const each of [USDT, USDC, FOREIGN_MINT]) await placeTokens(node, each, customer.address, 1_000_000_000n);
			startCounting();
			return customer;
		},
		newAddress: () => addressOf(newIndex()),
		calls: (method) => relay.calls.slice(countedFrom).filter((call) => call.method === method).length,
		scan: async (...open) => (await chain.scan(null, watching(...open))).deposits,
		lamportsOf: (address) => node.accountOf(address)?.lamports ?? 0n,
		finalize: () => node.advance(FINALIZED_AFTER),
		async stop() {
			await relay.stop();
			await node.stop();
		},
	};
}

/** What the tests of a file work with, as soon as `useSolana` has begun. */
export let solana: Solana;
export let node: SolanaNode;
export let relay: Relay;
export let chain: Chain;
export let signer: ChainSigner;
export let customer: SolanaWallet;

/** Call it at the top of a test file: one Solana for the file, and a new customer for each test. */
export function useSolana(): void {
	beforeAll(async () => {
		solana = await startSolana();
		({ node, relay, chain, signer } = solana);
	});
	afterAll(() => solana?.stop());
	beforeEach(async () => {
		customer = await solana.reset();
	});
}
