/**
 * The yield and cost of a sweep from a pay-in address to the hot wallet. Coins pay for themselves. A token needs coins
 * at its address. If the address is not an account yet, the gas top-up creates it.
 */
import { eachOf } from '../rpc/each-of.ts';
import type { SweepQuote, SweepTarget, TokenTarget } from '../sweeping-port.ts';
import { accountOf, heldBy, saidBalance, simulate, tokenBalance } from './accounts.ts';
import { type Prices, pricesOf, sweepEnergy, TOKEN_TRANSFER_BYTES, transferFee } from './fees.ts';
import type { TronNode } from './node.ts';
import { contractOf } from './params.ts';
import { recipientProblem } from './recipient.ts';
import { bandwidthOf, type Frame, rawTransfer, type Transfer } from './transaction.ts';

const NOTHING: SweepQuote = { amount: 0n, fee: 0n, gas: 0n };

/** One answer for each target, in order. @throws ChainUnavailable */
export async function sweepQuotes(
	node: TronNode,
	hotAddress: string,
	targets: readonly SweepTarget[],
): Promise<SweepQuote[]> {
	const prices = await pricesOf(node);
	return eachOf(targets, async ({ address, asset }) => {
		if (asset !== node.params.native)
			return tokenQuote(node, prices, { address, contract: contractOf(node.params, asset), to: hotAddress });
		const { balance } = await accountOf(node, address);
		const fee = coinSweepFee(prices, { from: address, to: hotAddress, amount: balance });
		return balance > fee ? { amount: balance - fee, fee, gas: 0n } : NOTHING;
	});
}

/**
 * Stands in for the real frame where only the transaction's length counts: all frames of our time have the same length.
 */
const ANY_FRAME: Frame = {
	block: { height: 0, id: '0'.repeat(64) },
	expiration: Date.UTC(2026, 0),
	timestamp: Date.UTC(2026, 0),
};

/**
 * The cost of moving all coins away, exact to the sun, because it is paid from the same coins. If the day's free
 * bandwidth makes it cheaper, the difference stays at the address.
 */
export const coinSweepFee = (prices: Prices, transfer: Transfer): bigint =>
	transferFee(prices, true, BigInt(bandwidthOf(rawTransfer(transfer, ANY_FRAME))));

/** As `Look.quoteToken`. Nothing where the token's own code fails, or nobody can use it there. @throws ChainUnavailable */
export async function unlistedQuote(node: TronNode, { address, token, to }: TokenTarget): Promise<SweepQuote> {
	const prices = await pricesOf(node);
	const said = await saidBalance(node, token, address);
	if (said === 0n || (await recipientProblem(node, to, false))) return NOTHING;
	// Two contracts may be two names of one token.
	for (const asset of node.params.tokens.values()) if ((await heldBy(node, asset, address)) === said) return NOTHING;
	return tokenQuote(node, prices, { address, contract: token, to });
}

async function tokenQuote(
	node: TronNode,
	prices: Prices,
	{ address, contract, to }: { readonly address: string; readonly contract: string; readonly to: string },
): Promise<SweepQuote> {
	const amount = await tokenBalance(node, contract, address);
	if (amount === 0n) return NOTHING;
	const outcome = await simulate(node, { from: address, to, contract, amount });
	if ('reverted' in outcome) return NOTHING;
	const { exists, balance } = await accountOf(node, address);
	const bandwidth = TOKEN_TRANSFER_BYTES * prices.bandwidth;
	const { needed, wanted } = sweepEnergy(prices, outcome.energy);
	if (balance >= needed + bandwidth) return { amount, fee: wanted + bandwidth, gas: 0n };
	return { amount, fee: wanted + bandwidth + transferFee(prices, exists), gas: wanted + bandwidth - balance };
}
