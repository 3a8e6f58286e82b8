/**
 * The instructions of a payout and of a sweep, before prices, balances and a blockhash are known. For the signer. Pure.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { InsufficientReserve } from '../errors.ts';
import type { Payment, Sweep, TokenReturn } from '../signing-port.ts';
import { mintOf, solanaAsset } from './assets.ts';
import type { Rents } from './fees.ts';
import { closeTokenAccount, openTokenAccount, transferLamports, transferTokens } from './instructions.ts';
import type { SolanaKey } from './keys.ts';
import type { Instruction } from './message.ts';

export interface Plan {
	readonly asset: AssetId;
	/** Present where the asset does not say that a token moves. */
	readonly kind?: 'token';
	/** Without the compute budget, which is added in front. */
	readonly instructions: readonly Instruction[];
	/** The fee payer's key, which is the hot wallet's, comes first. */
	readonly keys: readonly SolanaKey[];
	/** Base units that leave the hot wallet. */
	readonly amount: bigint;
	/** Lamports of rent that the hot wallet may have to pay for accounts that are opened. */
	readonly rent: bigint;
}

/** Opens the recipient's account for a token where it does not exist. */
export function payoutPlan(hot: SolanaKey, { id, asset, to, amount }: Payment, rents: Rents): Plan {
	const mint = mintOf(asset);
	const plan = { asset, amount, keys: [hot] };
	if (mint === null)
		return { ...plan, instructions: [transferLamports(hot.address, to, amount, referenceOf(id))], rent: 0n };
	const transfer = { mint, decimals: solanaAsset(asset).decimals, from: hot.address, to, amount };
	const instructions = [openTokenAccount(hot.address, to, mint), transferTokens(transfer, referenceOf(id))];
	return { ...plan, instructions, rent: rents.tokenAccount };
}

/**
 * `held`: all that the owner holds. The owner's token account is closed, and its rent goes to the hot wallet. Dust that
 * a stranger sends before a block takes the sweep makes it fail: an account with tokens cannot be closed, and one with
 * less than its rent cannot exist. So after a failure the rent stays where it is. Then no dust can make it fail.
 */
export function sweepPlan(
	{ hot, owner }: { readonly hot: SolanaKey; readonly owner: SolanaKey },
	{ id, asset, afterFailure = false }: Sweep,
	held: bigint,
	rents: Rents,
): Plan & { readonly swept: bigint } {
	const mint = mintOf(asset);
	const kept = afterFailure && mint === null ? rents.wallet : 0n;
	const amount = held - kept;
	if (amount <= 0n) throw new InsufficientReserve(`${owner.address} holds ${held} of ${asset}, and ${kept} stay there`);
	const plan = { asset, amount: 0n, keys: [hot, owner], swept: amount };
	const [from, to] = [owner.address, hot.address];
	if (mint === null) return { ...plan, instructions: [transferLamports(from, to, amount, referenceOf(id))], rent: 0n };
	const instructions = [
		openTokenAccount(to, to, mint),
		transferTokens({ mint, decimals: solanaAsset(asset).decimals, from, to, amount }, referenceOf(id)),
		...(afterFailure ? [] : [closeTokenAccount(from, mint, to)]),
	];
	return { ...plan, instructions, rent: rents.tokenAccount };
}

/** All of a token that is not listed, in the owner's associated account; of the hot wallet's it takes the fee and the rent. */
export function tokenReturnPlan(
	{ hot, owner }: { readonly hot: SolanaKey; readonly owner: SolanaKey },
	{ id, token: mint, to }: TokenReturn,
	{ amount, decimals }: { readonly amount: bigint; readonly decimals: number },
	rents: Rents,
): Plan {
	const instructions = [
		openTokenAccount(hot.address, to, mint),
		transferTokens({ mint, decimals, from: owner.address, to, amount }, referenceOf(id)),
	];
	const plan = { asset: nativeAsset('Solana'), kind: 'token', amount: 0n } as const;
	return { ...plan, keys: [hot, owner], instructions, rent: rents.tokenAccount };
}

/**
 * Two payments of one amount to one address within one blockhash would be the same transaction, and one of them would
 * never be made. A hash of our own id, named as an account that nobody reads (Solana Pay's reference), makes them
 * different. Unlike a memo it tells a stranger nothing, and unlike a varied fee it never repeats.
 */
const referenceOf = (id: string): string => base58.encode(sha256(new TextEncoder().encode(id)));
