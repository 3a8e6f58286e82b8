/**
 * The yield and cost of sweeping pay-in addresses now. One call per 500 addresses reads their balances. Each address
 * that holds a token is simulated, because the token's issuer may have frozen it.
 */
import { greater } from '../../money/units.ts';
import { PaymentImpossible } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { SweepQuote, SweepTarget, TokenTarget } from '../sweeping-port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt } from './balances.ts';
import { headOf } from './depth.ts';
import { contractOf, tokensOf, transferOf } from './erc20.ts';
import { callOf, isRevert, requireTokenTransfer, withGasMargin } from './gas.ts';
import { type GasPrices, l1Fee } from './gas-prices.ts';
import { type EvmRpc, read, unavailable } from './node.ts';
import { recipientProblem } from './recipient.ts';
import { QUANTITY } from './shapes.ts';
import { cautious, coinTransferNow, nativeSweepCost } from './sweep-cost.ts';

const NOTHING: SweepQuote = { amount: 0n, fee: 0n, gas: 0n };

/** In order of the targets. `to`: the hot wallet. @throws ChainUnavailable */
export async function sweepQuotes(rpc: EvmRpc, to: string, targets: readonly SweepTarget[]): Promise<SweepQuote[]> {
	const { params } = rpc;
	if (targets.length === 0) return [];
	const { height } = await headOf(rpc);
	const natives = await balancesAt(rpc, null, addressesOf(targets), height);
	const coin = await coinTransferNow(rpc, to);
	const plain = nativeSweepCost(params, coin);
	const shared = { height, topUp: plain.fee, prices: coin.prices };
	const quotes = new Map<SweepTarget, SweepQuote>();
	for (const [asset, group] of Map.groupBy(targets, (target) => target.asset)) {
		await rpc.requireAsset(asset);
		const contract = contractOf(params, asset);
		const held = group.map((target) => natives[targets.indexOf(target)] ?? 0n);
		const found =
			contract === null
				? held.map((balance) =>
						balance > plain.fee ? { amount: balance - plain.fee, fee: plain.fee, gas: 0n } : NOTHING,
					)
				: await tokenQuotes(rpc, { contract, to, addresses: addressesOf(group), natives: held }, shared);
		for (const [at, target] of group.entries()) quotes.set(target, found[at] ?? NOTHING);
	}
	return targets.map((target) => quotes.get(target) ?? NOTHING);
}

/** As `Look.quoteToken`. Nothing where the token's own code fails, or nobody can use it there. @throws ChainUnavailable */
export async function unlistedQuote(
	rpc: EvmRpc,
	hot: string,
	{ address, token, to }: TokenTarget,
): Promise<SweepQuote> {
	const { params } = rpc;
	if (!isEvmAddress(token) || (await recipientProblem(rpc, to))) return NOTHING;
	const { height } = await headOf(rpc);
	const natives = await balancesAt(rpc, null, [address], height);
	const coin = await coinTransferNow(rpc, hot);
	const shared = { height, topUp: nativeSweepCost(params, coin).fee, prices: coin.prices };
	try {
		const held = { contract: token, to, addresses: [address], natives };
		const [quote = NOTHING] = await tokenQuotes(rpc, held, shared);
		// Two contracts may be two names of one token.
		for (const contract of [null, ...tokensOf(params).map((asset) => contractOf(params, asset))])
			if ((await balancesAt(rpc, contract, [address], height))[0] === quote.amount) return NOTHING;
		if (quote.amount > 0n) await requireTokenTransfer(rpc, address, transferOf(token, to, quote.amount));
		return quote;
	} catch (error) {
		if (error instanceof PaymentImpossible) return NOTHING;
		// Code that works until the node breaks it off is no fault of the node.
		if (error instanceof Error && error.cause instanceof RpcError) return NOTHING;
		throw error;
	}
}

interface Held {
	readonly contract: string;
	readonly to: string;
	readonly addresses: readonly string[];
	/** Their balances of the native coin. */
	readonly natives: readonly bigint[];
}

/** `topUp`: wei that the gas top-up itself costs. `height`: the block whose balances count. */
async function tokenQuotes(
	rpc: EvmRpc,
	{ contract, to, addresses, natives }: Held,
	{ height, topUp, prices }: { readonly height: number; readonly topUp: bigint; readonly prices: GasPrices },
): Promise<SweepQuote[]> {
	const amounts = await balancesAt(rpc, contract, addresses, height);
	const simulated = addresses.flatMap((address, at) => {
		const amount = amounts[at] ?? 0n;
		return amount > 0n ? [{ at, amount, call: callOf(address, transferOf(contract, to, amount)) }] : [];
	});
	const quotes = addresses.map(() => NOTHING);
	if (simulated.length === 0) return quotes;
	const { likelyPerGas, maxFeePerGas } = prices;
	const l1 = cautious(await l1Fee(rpc, 'token'));
	const answers = await rpc.batch(simulated.map(({ call }) => ({ method: 'eth_estimateGas', params: [call] })));
	for (const [i, { at, amount }] of simulated.entries()) {
		const answer = answers[i];
		if (answer instanceof RpcError && isRevert(answer)) continue;
		if (answer instanceof Error) throw unavailable('eth_estimateGas', answer);
		const limit = withGasMargin(read(QUANTITY, 'eth_estimateGas', answer));
		if (limit > rpc.params.maxTokenGas) continue;
		const gas = greater(limit * maxFeePerGas + l1 - (natives[at] ?? 0n), 0n);
		quotes[at] = { amount, fee: limit * likelyPerGas + l1 + (gas > 0n ? topUp : 0n), gas };
	}
	return quotes;
}

const addressesOf = (targets: readonly SweepTarget[]): string[] => targets.map(({ address }) => address);
