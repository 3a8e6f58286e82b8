/**
 * Tron for a test file: the stand-in for a full node, the chain, the signer, and moves of the customer and of the hot
 * wallet.
 */
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import type { Chain, DepositRef, Watched, WatchedAddress } from '../../src/chains/port.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { ChainSigner, Payment, SigningState } from '../../src/chains/signing-port.ts';
import { tronAddress } from '../../src/chains/tron/address.ts';
import { tronChain } from '../../src/chains/tron/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/tron/keys.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { ReservationSet } from './reservations.ts';
import { callData } from './tron-abi.ts';
import { CUSTOMER, startTronStandIn, type TronStandIn } from './tron-stand-in.ts';
import { tokenCode } from './tron-token.ts';

export const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
export const HOT = hotAddress(SEED);
export const TRX = 1_000_000n;
export const TRON = networkNamed('Tron');
/** Blocks on top of a deposit until it is final. */
export const SOLID = 19;

const hashAddress = (byte: string): string => tronAddress(hex.decode(byte.repeat(20)));
export const CONTRACT = hashAddress('cc');
export const REGRETTER_HASH = '5e'.repeat(20);
export const REGRETTER_ADDRESS = hashAddress('5e');
export const FOREIGN_TOKEN = hashAddress('f0');

export const addressOf = (index: number): string => payInAddress(SEED, index);

export const watching =
	(asset: AssetId, ...addresses: string[]) =>
	async (): Promise<WatchedAddress[]> =>
		addresses.map((address) => ({ address, asset, known: [], swept: 0n }));

/** The same, with nothing open: none of these orders' windows counts any more. */
export const closed =
	(asset: AssetId, ...addresses: string[]): Watched =>
	async (which) =>
		typeof which === 'object' && 'anyOf' in which ? [] : watching(asset, ...addresses)();

export const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount,
});

export const signing = (...spent: Reservation[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});

export interface Tron {
	readonly node: TronStandIn;
	readonly chain: Chain;
	readonly signer: ChainSigner;
	/** Before each test: ends interceptions and refills the hot wallet. */
	reset(): Promise<void>;
	/** An index that no other test of the file uses. */
	newIndex(): number;
	newAddress(): string;
	/** Makes the account exist: coins sent to it are then a plain transfer. */
	existing(address: string, sun?: bigint): Promise<string>;
	cursorNow(): Promise<string>;
	/** A payment with an id of its own. */
	payment(to: string, amount: bigint, asset?: AssetId): Payment;
	/** Sends and mines a block. */
	mined<T>(send: () => Promise<T>): Promise<T>;
	/** Broadcasts a signed transaction and mines a block. */
	sent(raw: string): Promise<void>;
	/** Pays from inside a call of a contract with this code. */
	payThrough(code: string, to: string, sun: bigint): Promise<string>;
	stop(): Promise<void>;
}

export async function startTron(): Promise<Tron> {
	const node = await startTronStandIn();
	const config = { urls: [node.url], chain: 'regtest' as const };
	const chain = tronChain(TRON, config, HOT);
	const signer = tronSigner(TRON, config, SEED);
	await node.setCode(FOREIGN_TOKEN, tokenCode());
	await node.issue(CUSTOMER, 10n ** 12n, FOREIGN_TOKEN);
	await node.issue(HOT, 1_000n * TRX);
	await node.mine(30);
	let [lastIndex, lastPayment] = [0, 0];
	const newIndex = (): number => {
		lastIndex += 1;
		return lastIndex;
	};
	const mined: Tron['mined'] = async (send) => {
		const result = await send();
		await node.mine(1);
		return result;
	};
	return {
		node,
		chain,
		signer,
		newIndex,
		mined,
		async reset() {
			node.intercept(() => undefined);
			await node.setBalance(HOT, 1_000n * TRX);
			await node.mine(1);
		},
		newAddress: () => addressOf(newIndex()),
		async existing(address, sun = TRX) {
			await node.setBalance(address, sun);
			return address;
		},
		cursorNow: async () => (await chain.scan(null, watching('TRX'))).cursor,
		payment(to, amount, asset = 'TRX') {
			lastPayment += 1;
			return { id: `payout-${lastPayment}`, asset, to, amount };
		},
		async sent(raw) {
			await mined(() => chain.broadcast(raw));
		},
		async payThrough(code, to, sun) {
			await node.setCode(CONTRACT, code);
			const input = hex.encode(new Uint8Array(12)) + callData('x', to).slice(-40);
			return mined(() => node.call(CONTRACT, input, sun));
		},
		stop: () => node.stop(),
	};
}

/** What the tests of a file work with, as soon as `useTron` has begun. */
export let tron: Tron;
export let node: TronStandIn;
export let chain: Chain;
export let signer: ChainSigner;

/** Call it at the top of a test file: one Tron for the file, set back before each test. */
export function useTron(): void {
	beforeAll(async () => {
		tron = await startTron();
		({ node, chain, signer } = tron);
	});
	afterAll(() => tron?.stop());
	beforeEach(() => tron.reset());
}
