/**
 * The yield and cost of sweeping pay-in addresses. The hot wallet pays the fee, so no address lacks gas. The rent that
 * a closed token account returns is subtracted from the cost, which is never below zero. Of tokens that are not listed
 * only those of the Token program go back: in Token-2022 a mint may run code of its own.
 */
import { greater } from '../../money/units.ts';
import { PaymentImpossible } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SweepQuote, SweepTarget, TokenTarget } from '../sweeping-port.ts';
import { accountsAt, mintDecimals, tokenAccount } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf, mintOf } from './assets.ts';
import { likelyFee, rentsOf, SWEEP_SIGNATURES, unitPrice, walletAccounts } from './fees.ts';
import { SEEN } from './node.ts';
import { SYSTEM_PROGRAM, tokenAddress } from './programs.ts';
import { walletProblem } from './recipient.ts';

const NOTHING: SweepQuote = { amount: 0n, fee: 0n, gas: 0n };

/** In the order of the targets. @throws ChainUnavailable */
export async function sweepQuotes(
	rpc: JsonRpc,
	hotAddress: string,
	targets: readonly SweepTarget[],
): Promise<SweepQuote[]> {
	if (targets.length === 0) return [];
	const addresses = targets.flatMap(({ address, asset }) => [accountOf(address, asset), accountOf(hotAddress, asset)]);
	const { accounts } = await accountsAt(rpc, addresses, SEEN);
	const rents = await rentsOf(rpc);
	const price = await unitPrice(rpc, 'token', walletAccounts(hotAddress));
	const native = likelyFee({ kind: 'native', signatures: SWEEP_SIGNATURES }, price);
	const token = likelyFee({ kind: 'token', signatures: SWEEP_SIGNATURES }, price);
	return targets.map(({ asset }, at): SweepQuote => {
		const [source = null, target = null] = accounts.slice(2 * at, 2 * at + 2);
		if (!source) return NOTHING;
		if (mintOf(asset) === null) return { amount: source.lamports, fee: native, gas: 0n };
		const tokens = tokenAccount(source);
		if (!tokens || tokens.frozen || tokens.amount === 0n) return NOTHING;
		const opened = target ? 0n : rents.tokenAccount;
		return { amount: tokens.amount, fee: greater(token + opened - source.lamports, 0n), gas: 0n };
	});
}

interface Returnable {
	readonly amount: bigint;
	readonly decimals: number;
	/** Has the recipient an account for it? */
	readonly isOpen: boolean;
}

/** Null where nothing of it can be moved there. @throws ChainUnavailable */
async function returnable(rpc: JsonRpc, { address, token, to }: TokenTarget): Promise<Returnable | null> {
	if (!isSolanaAddress(token) || !isSolanaAddress(to)) return null;
	const target = tokenAddress(to, token);
	const asked = [tokenAddress(address, token), target, token, to];
	const [source = null, opened = null, mint = null, wallet = null] = (await accountsAt(rpc, asked, SEEN)).accounts;
	const [held, decimals, theirs] = [tokenAccount(source), mintDecimals(mint), tokenAccount(opened)];
	if (!held || held.frozen || held.amount === 0n || decimals === null || walletProblem(to, wallet)) return null;
	// Somebody may have sent lamports there before it was opened.
	const isOpen = opened !== null && opened.owner !== SYSTEM_PROGRAM;
	if (isOpen && (theirs?.mint !== token || theirs.owner !== to || theirs.frozen)) return null;
	return { amount: held.amount, decimals, isOpen };
}

/** As `Look.quoteToken`. @throws ChainUnavailable */
export async function tokenQuote(rpc: JsonRpc, hotAddress: string, target: TokenTarget): Promise<SweepQuote> {
	const found = await returnable(rpc, target);
	if (!found) return NOTHING;
	const price = await unitPrice(rpc, 'token', walletAccounts(hotAddress));
	const rent = found.isOpen ? 0n : (await rentsOf(rpc)).tokenAccount;
	return {
		amount: found.amount,
		fee: likelyFee({ kind: 'token', signatures: SWEEP_SIGNATURES }, price) + rent,
		gas: 0n,
	};
}

/** @throws PaymentImpossible, ChainUnavailable */
export async function requireReturnable(rpc: JsonRpc, target: TokenTarget): Promise<Returnable> {
	const found = await returnable(rpc, target);
	if (!found) throw new PaymentImpossible(`nothing of ${target.token} can go from ${target.address} to ${target.to}`);
	return found;
}
