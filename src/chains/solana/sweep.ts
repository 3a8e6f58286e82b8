/**
 * The yield and cost of sweeping pay-in addresses. The hot wallet pays the fee, so no address lacks gas. The rent that
 * a closed token account returns is subtracted from the cost, which is never below zero.
 */
import { greater } from '../../money/units.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SweepQuote, SweepTarget } from '../sweeping-port.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { accountOf, mintOf } from './assets.ts';
import { likelyFee, rentsOf, SWEEP_SIGNATURES, unitPrice, walletAccounts } from './fees.ts';
import { SEEN } from './node.ts';

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
