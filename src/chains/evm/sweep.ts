/**
 * The yield and cost of sweeping pay-in addresses now. One call per 500 addresses reads their balances. Each address
 * that holds a token is simulated, because the token's issuer may have frozen it.
 */
import { greater } from '../../money/units.ts';
import { PaymentImpossible } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { SweepQuote, SweepTarget, TokenTarget } from '../sweeping-port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt } from './balances.ts';
import { headOf } from './depth.ts';
import { contractOf, tokensOf, transferOf } from './erc20.ts';
import { callOf, isRevert, requireTokenTransfer, withGasMargin } from './gas.ts';
import { type GasPrices, l1Fee } from './gas-prices.ts';
import { read, unavailable } from './node.ts';
import type { EvmParams } from './params.ts';
import { recipientProblem } from './recipient.ts';
import { QUANTITY } from './shapes.ts';
import { cautious, coinTransferNow, nativeSweepCost } from './sweep-cost.ts';
import type { AssetCheck } from './token-check.ts';

const NOTHING: SweepQuote = { amount: 0n, fee: 0n, gas: 0n };

export interface Sweeper {
	readonly rpc: JsonRpc;
	readonly params: EvmParams;
	readonly hotAddress: string;
	readonly requireAsset: AssetCheck;
}

/** In order of the targets. @throws ChainUnavailable */
export async function sweepQuotes(sweeper: Sweeper, targets: readonly SweepTarget[]): Promise<SweepQuote[]> {
	const { rpc, params, hotAddress, requireAsset } = sweeper;
	if (targets.length === 0) return [];
	const { height } = await headOf(rpc);
	const natives = await balancesAt(rpc, null, addressesOf(targets), height);
	const coin = await coinTransferNow(rpc, params, hotAddress);
	const plain = nativeSweepCost(params, coin);
	const shared = { height, topUp: plain.fee, prices: coin.prices };
	const quotes = new Map<SweepTarget, SweepQuote>();
	for (const [asset, group] of Map.groupBy(targets, (target) => target.asset)) {
		await requireAsset(asset);
		const contract = contractOf(params, asset);
		const held = group.map((target) => natives[targets.indexOf(target)] ?? 0n);
		const found =
			contract === null
				? held.map((balance) =>
						balance > plain.fee ? { amount: balance - plain.fee, fee: plain.fee, gas: 0n } : NOTHING,
					)
				: await tokenQuotes(sweeper, { contract, addresses: addressesOf(group), natives: held }, shared);
		for (const [at, target] of group.entries()) quotes.set(target, found[at] ?? NOTHING);
	}
	return targets.map((target) => quotes.get(target) ?? NOTHING);
}

/** As `Look.quoteToken`. Nothing where the token's own code fails, or nobody can use it there. @throws ChainUnavailable */
export async function unlistedQuote(sweeper: Sweeper, { address, token, to }: TokenTarget): Promise<SweepQuote> {
	const { rpc, params, hotAddress } = sweeper;
	if (!isEvmAddress(token) || (await recipientProblem(rpc, to))) return NOTHING;
	const { height } = await headOf(rpc);
	const natives = await balancesAt(rpc, null, [address], height);
	const coin = await coinTransferNow(rpc, params, hotAddress);
	const shared = { height, topUp: nativeSweepCost(params, coin).fee, prices: coin.prices };
	try {
		const held = { contract: token, addresses: [address], natives };
		const [quote = NOTHING] = await tokenQuotes({ ...sweeper, hotAddress: to }, held, shared);
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

/** `topUp`: wei that the gas top-up itself costs. `height`: the block whose balances count. */
async function tokenQuotes(
	{ rpc, params, hotAddress }: Sweeper,
	{
		contract,
		addresses,
		natives,
	}: { readonly contract: string; readonly addresses: readonly string[]; readonly natives: readonly bigint[] },
	{ height, topUp, prices }: { readonly height: number; readonly topUp: bigint; readonly prices: GasPrices },
): Promise<SweepQuote[]> {
	const amounts = await balancesAt(rpc, contract, addresses, height);
	const simulated = addresses.flatMap((address, at) => {
		const amount = amounts[at] ?? 0n;
		return amount > 0n ? [{ at, amount, call: callOf(address, transferOf(contract, hotAddress, amount)) }] : [];
	});
	const quotes = addresses.map(() => NOTHING);
	if (simulated.length === 0) return quotes;
	const { likelyPerGas, maxFeePerGas } = prices;
	const l1 = cautious(await l1Fee(rpc, params, 'token'));
	const answers = await rpc.batch(simulated.map(({ call }) => ({ method: 'eth_estimateGas', params: [call] })));
	for (const [i, { at, amount }] of simulated.entries()) {
		const answer = answers[i];
		if (answer instanceof RpcError && isRevert(answer)) continue;
		if (answer instanceof Error) throw unavailable('eth_estimateGas', answer);
		const limit = withGasMargin(read(QUANTITY, 'eth_estimateGas', answer));
		if (limit > params.maxTokenGas) continue;
		const gas = greater(limit * maxFeePerGas + l1 - (natives[at] ?? 0n), 0n);
		quotes[at] = { amount, fee: limit * likelyPerGas + l1 + (gas > 0n ? topUp : 0n), gas };
	}
	return quotes;
}

const addressesOf = (targets: readonly SweepTarget[]): string[] => targets.map(({ address }) => address);
