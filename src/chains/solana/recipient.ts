/**
 * Can this payment go to its recipient now? Solana's addresses have no checksum, so a payout goes only to an address
 * that is unused or a wallet. A program's account is not a wallet.
 */
import { PaymentImpossible } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Payment } from '../signing-port.ts';
import { type Account, accountsAt, tokenAccount } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf, isOnSolana, mintOf } from './assets.ts';
import type { Rents } from './fees.ts';
import { SEEN } from './node.ts';
import { SYSTEM_PROGRAM } from './programs.ts';

const MAX_U64 = (1n << 64n) - 1n;

/** @throws PaymentImpossible where no state of the chain makes it payable */
export function requirePayable({ asset, to, amount }: Payment): void {
	if (!isOnSolana(asset)) throw new PaymentImpossible(`${asset} is not on Solana`);
	if (!isSolanaAddress(to)) throw new PaymentImpossible(`not an address: ${to}`);
	if (amount <= 0n || amount > MAX_U64) throw new PaymentImpossible(`no such amount: ${amount}`);
}

export interface Recipient {
	readonly wallet: Account | null;
	/** The recipient's account for the asset: for SOL, the wallet itself. */
	readonly account: Account | null;
}

/** @throws ChainUnavailable */
export async function readRecipient(rpc: JsonRpc, { asset, to }: Payment): Promise<Recipient> {
	const { accounts } = await accountsAt(rpc, [to, accountOf(to, asset)], SEEN);
	const [wallet = null, account = null] = accounts;
	return { wallet, account };
}

/** Why it is no wallet: a program, a mint or a token account say; null where it is one, or does not exist yet. */
export const walletProblem = (to: string, wallet: Account | null): string | null =>
	wallet && wallet.owner !== SYSTEM_PROGRAM ? `${to} is no wallet: it belongs to the program ${wallet.owner}` : null;

/** @throws PaymentImpossible */
export function requireRecipient({ asset, to, amount }: Payment, { wallet, account }: Recipient, rents: Rents): void {
	const mint = mintOf(asset);
	const problem = walletProblem(to, wallet);
	if (problem) throw new PaymentImpossible(problem);
	if (mint === null) {
		if ((wallet?.lamports ?? 0n) + amount < rents.wallet)
			throw new PaymentImpossible(`an account must hold ${rents.wallet} lamports to exist; ${to} would hold less`);
		return;
	}
	// Somebody may have sent lamports to the account before it was opened. It then still belongs to the System Program
	// and is empty.
	if (!account || account.owner === SYSTEM_PROGRAM) return;
	const held = tokenAccount(account);
	if (held?.mint !== mint || held.owner !== to || held.frozen)
		throw new PaymentImpossible(`the token account of ${to} is frozen, or somebody else's`);
}
