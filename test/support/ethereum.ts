/**
 * Ethereum for a test file: anvil, a relay that counts and intercepts calls, the chain, the signer, and transfers of a
 * customer. A block is mined by `mine`, and by the methods that say so.
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import type { NodeChain } from '../../src/chains/configuration.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/evm/keys.ts';
import { evmParams } from '../../src/chains/evm/params.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import type { Chain, DepositRef } from '../../src/chains/port.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { ChainSigner, SignedTransaction, SigningState } from '../../src/chains/signing-port.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from './anvil.ts';
import { ReservationSet } from './reservations.ts';
import { call, callData } from './tokens.ts';

export const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
export const HOT = hotAddress(SEED);
export const COIN = 10n ** 18n;
/** anvil's first account: the customer. */
export const CUSTOMER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F';
/** Replaces the oracle: any call returns 1 000 000. PUSH3, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const ORACLE = '0x620f424060005260206000f3';

export const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

export const addressOf = (index: number): string => payInAddress(SEED, index);

export const signing = (...spent: (Reservation | string)[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});

export const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount,
});

export type SignedSweep = SignedTransaction & { readonly amount: bigint };

export interface Ethereum {
	readonly anvil: Anvil;
	/** Between chain and anvil; the signer asks anvil itself. */
	readonly relay: Relay;
	readonly chain: Chain;
	readonly signer: ChainSigner;
	/** An index that no other test of the file uses. */
	newIndex(): number;
	newAddress(): string;
	/** Ether from the customer, in a block of its own. */
	pay(to: string, wei: bigint): Promise<string>;
	/** Tokens out of nothing, in a block of their own. */
	mint(asset: AssetId, to: string, amount: bigint): Promise<void>;
	/** Tokens from the customer, in a block of their own. */
	send(asset: AssetId, to: string, amount: bigint): Promise<string>;
	/** Broadcasts a signed transaction and mines a block. */
	take(signed: SignedTransaction): Promise<void>;
	balanceOf(address: string): Promise<bigint>;
	height(): Promise<number>;
	/** `atMost`: as in `Sweep`. */
	sweep(index: number, asset: AssetId, state?: SigningState, atMost?: bigint): Promise<SignedSweep>;
	stop(): Promise<void>;
}

/** `name`: another EVM network than Ethereum. `kind`: `regtest` for a service, which mixes with its sandbox. */
export async function startEthereum(
	name: NetworkOf<'evm'>['name'] = 'Ethereum',
	kind: NodeChain = 'main',
): Promise<Ethereum> {
	const network = networkNamed(name);
	const { chainId, paysL1Fee } = evmParams(network, kind);
	const anvil = await startAnvil({ chainId, slotsInAnEpoch: 1, automine: false });
	if (paysL1Fee) await anvil.rpc('anvil_setCode', GAS_PRICE_ORACLE, ORACLE);
	const relay = await startRelay(anvil.url);
	const chain = evmChain(network, { urls: [relay.url], chain: kind }, HOT);
	const signer = evmSigner(network, { urls: [anvil.url], chain: kind }, SEED);
	let lastIndex = 0;
	const newIndex = (): number => {
		lastIndex += 1;
		return lastIndex;
	};
	const contractOf = (asset: AssetId): string => assetOf(asset).contract ?? '';
	return {
		anvil,
		relay,
		chain,
		signer,
		newIndex,
		newAddress: () => addressOf(newIndex()),
		async pay(to, wei) {
			const txId = await anvil.rpc('eth_sendTransaction', { from: CUSTOMER, to, value: hexOf(wei) });
			await anvil.mine(1);
			return String(txId);
		},
		async mint(asset, to, amount) {
			await call(anvil, contractOf(asset), callData.mint(to, amount));
			await anvil.mine(1);
		},
		async send(asset, to, amount) {
			await call(anvil, contractOf(asset), callData.mint(CUSTOMER, amount));
			const txId = await call(anvil, contractOf(asset), callData.transfer(to, amount));
			await anvil.mine(1);
			return txId;
		},
		async take({ raw }) {
			await chain.broadcast(raw);
			await anvil.mine(1);
		},
		balanceOf: async (address) => BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest'))),
		height: async () => Number(await anvil.rpc('eth_blockNumber')),
		async sweep(index, asset, state = signing(), atMost) {
			const signed = await signer.sweep?.(
				{ id: `sweep-${index}`, asset, index, ...(atMost !== undefined && { atMost }) },
				state,
			);
			if (!signed) throw new Error('this family does not sweep');
			return signed;
		},
		async stop() {
			await relay.stop();
			await anvil.stop();
		},
	};
}

/** What the tests of a file work with, as soon as `useEthereum` has begun. */
export let ethereum: Ethereum;
export let anvil: Anvil;
export let relay: Relay;
export let chain: Chain;
export let signer: ChainSigner;

/**
 * Call it at the top of a test file: one Ethereum for the file, made ready by `prepare`. Before each test nothing is
 * intercepted, and the hot wallet has 100 coins.
 */
export function useEthereum(prepare: () => Promise<void>): void {
	beforeAll(async () => {
		ethereum = await startEthereum();
		({ anvil, relay, chain, signer } = ethereum);
		await prepare();
	});
	afterAll(() => ethereum?.stop());
	beforeEach(async () => {
		relay.intercept(() => undefined);
		await anvil.rpc('anvil_setBalance', HOT, hexOf(100n * COIN));
	});
}
