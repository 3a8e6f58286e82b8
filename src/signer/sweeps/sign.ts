/** Judges and signs gas to pay-in addresses, and sweeps of them. */
import { nativeAsset } from '../../catalog/assets.ts';
import { InsufficientReserve } from '../../chains/errors.ts';
import type { SweepQuote } from '../../chains/sweeping-port.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import type { OrderRow } from '../../orders/table.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import type { Movement } from '../journal/sweeps.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment, stateOf } from '../signing.ts';
import { strayRefusal } from '../strays/judge.ts';
import { costsTooMuch, gasRefusal, leavesTooMuch, type MovementRow, movementRefusal, sweepRefusal } from './judge.ts';
import { unfinished } from './unfinished.ts';

interface Prices {
	/** US dollars for one coin of the asset that is swept, and for one native coin. */
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
}

interface SweepTerms extends Prices {
	/** The balance at the address now, and the cost of moving it. */
	readonly quote: SweepQuote;
	readonly afterFailure: boolean;
}

/** `strayOf`: the order at whose address the asset is a stray, as D1 says. */
export async function signMovement(
	signing: Signing,
	row: MovementRow,
	strayOf: OrderRow | null,
): Promise<Signed | SignerRefusal> {
	const { network, signer, chain, journal, now } = signing;
	const { kind, sweepAsset: asset, payInAddress: address } = row;
	const refusal = movementRefusal(row, network, signer.payInAddress(row.payInIndex), signer.hotAddress());
	if (refusal) return refusal;
	if (!chain.sweeping) return { kind: 'sweeps-unsupported' };
	const last = await unfinished(signing, journal.sweeps.newest(network, address, asset, kind));
	if (last) return last;
	const failures = journal.sweeps.failures(network, address, asset, now);
	if (failures.areTooMany) return { kind: 'failed-too-often' };
	const found = await signing.prices.usd(asset, nativeAsset(network));
	if (isRefusal(found)) return found;
	const [usd, nativeUsd] = found;
	const [quote = { amount: 0n, fee: 0n, gas: 0n }] = await chain.sweeping.quote([{ address, asset }]);
	const isNoStray =
		strayOf && (await strayRefusal(strayOf, { network, address, asset }, signing.sealKeys, journal.addressOrders));
	const isStray = strayOf !== null && isNoStray === null;
	const isFree = isStray || signing.isCosigner || journal.sweeps.isAsked(network, address, asset, now);
	const claims = journal.claimsAt(network, address);
	const unworthy = sweepRefusal({ asset, quote, claims, isFree, usd, nativeUsd });
	if (unworthy) return unworthy;
	const terms = { quote, usd, nativeUsd, afterFailure: failures.count > 0 };
	return kind === 'gas' ? payGas(signing, row, quote, nativeUsd) : sweep(signing, row, terms);
}

/** Atomic: the signature and what it spends are one transaction of the journal, written before the signature leaves. */
async function sweep(
	signing: Signing,
	row: MovementRow,
	{ quote, afterFailure, ...prices }: SweepTerms,
): Promise<Signed | SignerRefusal> {
	const { signer, journal, now } = signing;
	const { id, sweepAsset: asset, payInIndex: index, payInAddress } = row;
	if (!signer.sweep) return { kind: 'sweeps-unsupported' };
	const what = { id, asset, index, atMost: BigInt(row.amount), afterFailure };
	const swept = await signer.sweep(what, stateOf(signing, payInAddress)).catch(gasMissing);
	if (isRefusal(swept)) return swept;
	const { raw, txId, amount, fee, spends } = swept;
	if (leavesTooMuch(amount, quote)) return { kind: 'sweep-too-small' };
	if (costsTooMuch(amount, fee, { asset, ...prices })) return { kind: 'sweep-fee-too-high' };
	// Nobody but the co-signer is asked for a sweep that may never be sent, or fail: its day's cap bounds the fees. Rounded up.
	const usdCents = signing.isCosigner ? feeCents(row.network, fee, prices.nativeUsd) + 1 : 0;
	const aboveCap = usdCents > 0 ? signing.capRefusal('payout', usdCents) : null;
	if (aboveCap) return aboveCap;
	const signed = { raw, txId, amount };
	journal.sweeps.record(movementOf(row, signed, now), spends, { day: signing.day, usdCents });
	return signed;
}

/** An address that cannot pay for its sweep is sent gas; no person is needed. */
export function gasMissing(error: unknown): SignerRefusal {
	if (error instanceof InsufficientReserve) return { kind: 'gas-missing', detail: error.message };
	throw error;
}

/** A payment like a payout, in the journal as one: its fee may be bumped, since payouts wait behind its nonce. */
export async function payGas(
	signing: Signing,
	row: Moving,
	quote: SweepQuote,
	nativeUsd: Decimal,
): Promise<Signed | SignerRefusal> {
	const { network, journal, now } = signing;
	const asset = nativeAsset(network);
	const amount = BigInt(row.amount);
	const paid = journal.sweeps.gasPaymentsSince(network, row.payInAddress, now - DAY_MILLISECONDS);
	const excess = gasRefusal(amount, quote, paid);
	if (excess) return excess;
	const signed = await signPayment(signing, {
		row,
		asset,
		purpose: 'payout',
		cents: (fee) => usdCents(usdValue(amount + fee, asset, nativeUsd)),
		also: ({ raw, txId }) => journal.sweeps.note(movementOf(row, { raw, txId, amount }, now)),
	});
	return isRefusal(signed) ? signed : { ...signed, amount };
}

type Moving = Pick<TransactionRow, 'id' | 'network' | 'toAddress' | 'amount'> &
	Pick<MovementRow, 'kind' | 'payInAddress'> & { readonly sweepAsset: Movement['asset'] };

const movementOf = (
	{ id, kind, network, payInAddress: address, sweepAsset: asset }: Moving,
	{ raw, txId, amount }: Pick<Movement, 'raw' | 'txId' | 'amount'>,
	at: number,
): Movement => ({ id, kind, network, address, asset, amount, raw, txId, at });

/**
 * Judges and signs consolidations, which join small outputs of the hot wallet into one. Nobody can steal with it,
 * because the only recipient is the hot wallet, whatever the row says. Nobody can burn much with it either: the
 * signer's own node must report low fees, each output is worth three times what spending it costs, and the fee counts
 * towards the day's cap. The signer alone decides which outputs are joined.
 *
 * Atomic: the signature and what it spends are one transaction of the journal. Each network has one unfinished
 * consolidation at a time.
 */
export async function signConsolidation(signing: Signing, row: TransactionRow): Promise<Signed | SignerRefusal> {
	const { network, signer, journal, day, now } = signing;
	const asset = nativeAsset(network);
	const address = signer.hotAddress();
	if (row.network !== network || row.asset !== asset) return { kind: 'other-network' };
	if (row.toAddress !== address) return { kind: 'other-recipient' };
	if (!signer.consolidate) return { kind: 'consolidation-unsupported' };
	// If another transaction spent its coins, the last one can never confirm.
	const last = await unfinished(signing, journal.sweeps.newest(network, address, asset, 'consolidation'));
	if (last) return last;
	const transaction = await signer.consolidate(stateOf(signing, null));
	if (!transaction) return { kind: 'consolidation-not-due' };
	const usd = await signing.prices.usd(asset);
	if (isRefusal(usd)) return usd;
	const usdCents = feeCents(network, transaction.fee, usd[0]);
	const aboveCap = signing.capRefusal('payout', usdCents);
	if (aboveCap) return aboveCap;
	const { raw, txId, amount } = transaction;
	const movement: Movement = { id: row.id, kind: 'consolidation', network, address, asset, amount, raw, txId, at: now };
	const also = () => journal.sweeps.note(movement);
	const what = { payoutId: row.id, kind: 'consolidation', network, transaction, day, usdCents, now, also } as const;
	return journal.record(what) ?? { raw, txId, amount };
}
