/** The cost of Solana's transactions, in lamports. The node's prices are kept between a floor and a ceiling. */
import { nativeAsset } from '../../catalog/assets.ts';
import { greater, lesser } from '../../money/units.ts';
import type { CostsOf } from '../port.ts';
import { ask, askEach } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { TOKEN_ACCOUNT_BYTES } from './accounts.ts';
import { accountOf, LISTED, mintOf } from './assets.ts';
import { RECENT_PRICES, U64 } from './shapes.ts';

const SOL = nativeAsset('Solana');
/** A sweep has two signatures: the owner's of the coins, and the hot wallet's as fee payer. */
export const SWEEP_SIGNATURES = 2;

/** Fixed by the protocol. */
const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO = 1_000_000n;
/**
 * Micro-lamports per unit. It is above what most blocks ask for, because a payment that expires waits for a minute and
 * a half before it is signed again, and this costs only 0.000005 SOL.
 */
const MIN_UNIT_PRICE = 100_000n;
/** Lamports that the price of its units adds to a transaction at most, 0.002 SOL. */
const MOST_FOR_UNITS = 2_000_000n;
/** A payment that has expired before is signed again at this many times the price of now. */
const URGENT_TIMES = 4n;
/** We pay a price that was enough for three of four recent blocks. */
const PERCENTILE = { numerator: 3, denominator: 4 } as const;

/**
 * Units that a transaction may use at most. One that needs more in the simulation is not signed. A payout of SOL uses
 * 450. A payout of tokens that opens an account uses some 35 000, or more if deriving the account's address takes many
 * tries.
 */
export const MAX_UNITS = { native: 5_000, token: 100_000 } as const;
/** Units that an estimate assumes. */
const LIKELY_UNITS = { native: 600, token: 45_000 } as const;

export interface Rents {
	/** The balance that the smallest account, one that holds only SOL, needs to exist. */
	readonly wallet: bigint;
	/** The balance that a token account needs to exist. */
	readonly tokenAccount: bigint;
}

/** @throws ChainUnavailable */
export async function rentsOf(rpc: JsonRpc): Promise<Rents> {
	const calls = [0, TOKEN_ACCOUNT_BYTES].map((bytes) => ({
		method: 'getMinimumBalanceForRentExemption',
		params: [bytes],
	}));
	const [wallet = 0n, tokenAccount = 0n] = await askEach(rpc, U64, calls);
	return { wallet, tokenAccount };
}

/**
 * Micro-lamports per unit, from the lowest price that each of the last blocks accepted from a transaction that writes
 * these accounts. Without accounts a node answers for any transaction, which is mostly nothing. @throws ChainUnavailable
 */
export async function unitPrice(
	rpc: JsonRpc,
	kind: Work['kind'],
	accounts: Iterable<string>,
	isUrgent = false,
): Promise<bigint> {
	const asked = [...new Set(accounts)];
	const recent = await ask(rpc, RECENT_PRICES, 'getRecentPrioritizationFees', asked);
	const prices = recent.map(({ prioritizationFee }) => prioritizationFee).toSorted((one, other) => Number(one - other));
	const at = Math.floor((prices.length * PERCENTILE.numerator) / PERCENTILE.denominator);
	const price = greater(prices[at] ?? 0n, MIN_UNIT_PRICE) * (isUrgent ? URGENT_TIMES : 1n);
	return lesser(price, (MOST_FOR_UNITS * MICRO) / BigInt(LIKELY_UNITS[kind]));
}

/** Rounded up, as the runtime does. */
export const feeOf = (signatures: number, units: number, price: bigint): bigint =>
	LAMPORTS_PER_SIGNATURE * BigInt(signatures) + (BigInt(units) * price + MICRO - 1n) / MICRO;

export interface Work {
	readonly kind: 'native' | 'token';
	readonly signatures: number;
}

/** The likely cost of such a transaction, without rents. `price`: `unitPrice`. */
export const likelyFee = ({ kind, signatures }: Work, price: bigint): bigint =>
	feeOf(signatures, LIKELY_UNITS[kind], price);

/** The accounts that the hot wallet's own transactions write at least. */
export const walletAccounts = (hotAddress: string): string[] => LISTED.map((asset) => accountOf(hotAddress, asset));

/** `rents`: kept, because only an upgrade of the network changes them. @throws ChainUnavailable */
export async function costsNow(rpc: JsonRpc, hotAddress: string, rents: () => Promise<Rents>): Promise<CostsOf> {
	const price = await unitPrice(rpc, 'token', walletAccounts(hotAddress));
	const feeFor = (kind: Work['kind'], signatures: number) => likelyFee({ kind, signatures }, price);
	return async (asset) => {
		const kind = mintOf(asset) === null ? 'native' : 'token';
		// A recipient of tokens may have no account for them. Then we pay its rent, so no recipient costs more than that.
		const rent = kind === 'token' ? (await rents()).tokenAccount : 0n;
		return {
			fee: { asset: SOL, amount: rent + feeFor(kind, 1) },
			house: { deposit: feeFor(kind, SWEEP_SIGNATURES), recipient: 0n },
		};
	};
}
