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
import type { Instruction } from './message.ts';

export interface Plan {
	readonly asset: AssetId;
	/** Present where the asset does not say that a token moves. */
	readonly kind?: 'token';
	/** Without the compute budget, which is added in front. */
	readonly instructions: readonly Instruction[];
	/** Signs beside the hot wallet, which pays the fee; absent where it signs alone. */
	readonly owner?: string;
	/** Base units that leave the hot wallet. */
	readonly amount: bigint;
	/** Lamports of rent that the hot wallet may have to pay for accounts that are opened. */
	readonly rent: bigint;
}

/** Opens the recipient's account for a token where it does not exist. */
export function payoutPlan(hot: string, { id, asset, to, amount }: Payment, rents: Rents): Plan {
	const mint = mintOf(asset);
	const plan = { asset, amount };
	if (mint === null) return { ...plan, instructions: [transferLamports(hot, to, amount, referenceOf(id))], rent: 0n };
	const transfer = { mint, decimals: solanaAsset(asset).decimals, from: hot, to, amount };
	const instructions = [openTokenAccount(hot, to, mint), transferTokens(transfer, referenceOf(id))];
	return { ...plan, instructions, rent: rents.tokenAccount };
}

export interface Wallets {
	/** Addresses. */
	readonly hot: string;
	readonly owner: string;
}

/** Base units that a sweep takes of all that the owner holds. @throws InsufficientReserve where that is nothing */
export function sweptOf({ owner }: Pick<Wallets, 'owner'>, { asset, afterFailure }: Sweep, held: bigint, rents: Rents) {
	const kept = afterFailure && mintOf(asset) === null ? rents.wallet : 0n;
	if (held <= kept) throw new InsufficientReserve(`${owner} holds ${held} of ${asset}, and ${kept} stay there`);
	return held - kept;
}

/**
 * The owner's token account is closed, and its rent goes to the hot wallet. Dust that a stranger sends before a block takes
 * the sweep makes it fail: an account with tokens cannot be closed, and one with less than its rent cannot exist. So after a
 * failure the rent stays where it is. Then no dust can make it fail.
 */
export function sweepPlan(
	{ hot: to, owner: from }: Wallets,
	{ id, asset, afterFailure = false }: Sweep,
	amount: bigint,
	rents: Rents,
): Plan {
	const mint = mintOf(asset);
	const plan = { asset, amount: 0n, owner: from };
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
	{ hot, owner }: Wallets,
	{ id, token: mint, to }: TokenReturn,
	{ amount, decimals }: { readonly amount: bigint; readonly decimals: number },
	rents: Rents,
): Plan {
	const instructions = [
		openTokenAccount(hot, to, mint),
		transferTokens({ mint, decimals, from: owner, to, amount }, referenceOf(id)),
	];
	const plan = { asset: nativeAsset('Solana'), kind: 'token', amount: 0n } as const;
	return { ...plan, owner, instructions, rent: rents.tokenAccount };
}

/**
 * Two payments of one amount to one address within one blockhash would be the same transaction, and one of them would
 * never be made. A hash of our own id, named as an account that nobody reads (Solana Pay's reference), makes them
 * different. Unlike a memo it tells a stranger nothing, and unlike a varied fee it never repeats.
 */
const referenceOf = (id: string): string => base58.encode(sha256(new TextEncoder().encode(id)));
