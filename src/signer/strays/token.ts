/**
 * Judges and signs the return of a token that is not listed, and gas for it. It goes straight from the pay-in address to the
 * address that the operator has sealed, so it moves nothing of ours: what it may cost is bounded, whatever the token's code
 * does. The balance is the token's own word, and all of it goes.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { isListedToken, nativeAsset } from '../../catalog/assets.ts';
import { straySealHolds } from '../../orders/seal.ts';
import type { OrderRow } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { type UnlistedRow, unlistedTokens } from '../../treasury/strays/table.ts';
import { FAILURES_MILLISECONDS } from '../../treasury/sweeps/rules.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isOwnAddress } from '../own-address.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, stateOf } from '../signing.ts';
import { GAS_PAYMENTS_PER_DAY } from '../sweeps/judge.ts';
import { gasMissing, payGas } from '../sweeps/sign.ts';
import { unfinished } from '../sweeps/unfinished.ts';
import { withOrders } from './claim.ts';
import { addressRefusal } from './judge.ts';

/**
 * Most US cents that one transaction may cost; transactions of one token at one address within 30 days; of a network within a
 * day, gas too.
 */
const MOST_CENTS = 2_000;
const MOST_TRIES = 3;
const MOST_OF_DAY = 20;

export interface TokenClaim {
	readonly row: TransactionRow;
	readonly token: UnlistedRow;
	readonly order: OrderRow;
}

/** The transactions among these that send such a token back, or gas for it, as D1 has them. */
export async function loadTokenClaims(db: Db, payoutIds: readonly string[]): Promise<TokenClaim[]> {
	const found = await db
		.select({ row: transactions, token: unlistedTokens })
		.from(transactions)
		.innerJoin(
			unlistedTokens,
			and(
				eq(unlistedTokens.network, transactions.network),
				eq(unlistedTokens.address, transactions.payInAddress),
				sql`${unlistedTokens.token} = ${transactions.sweepAsset}`,
			),
		)
		.where(and(isIn(transactions.id, payoutIds), inArray(transactions.kind, ['gas', 'token'])));
	return withOrders(db, found, ({ token }) => token.orderId);
}

/** Atomic: the signature and what it spends are one transaction of the journal, written before the signature leaves. */
export async function signToken(signing: Signing, claim: TokenClaim): Promise<Signed | SignerRefusal> {
	const { network, signer, chain, journal, now } = signing;
	const { row, token: found } = claim;
	const [{ id, payInIndex: index, toAddress: to }, { token: asset }] = [row, found];
	const kind = row.kind === 'gas' ? 'gas' : 'token';
	if (!chain.quoteToken || !signer.returnToken || index === null) return { kind: 'sweeps-unsupported' };
	const address = signer.payInAddress(index);
	const refusal = await tokenRefusal(signing, claim, address);
	if (refusal) return refusal;
	const last = await unfinished(signing, journal.sweeps.newest(network, address, asset, kind));
	if (last) return isRefusal(last) || kind === 'gas' ? last : { raw: last.raw, txId: last.txId };
	const tries = journal.sweeps.tokenReturnsSince({ network, address, asset }, now - FAILURES_MILLISECONDS);
	if (tries >= MOST_TRIES || journal.sweeps.tokensSince(network, now - DAY_MILLISECONDS) >= MOST_OF_DAY)
		return { kind: 'token-tried-too-often' };
	const usd = await signing.prices.usd(nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const quote = await chain.quoteToken({ address, token: asset, to: String(found.toAddress) });
	const isDear = (fee: bigint) => feeCents(network, fee, usd[0]) > MOST_CENTS;
	if (quote.amount === 0n || isDear(quote.fee) || isDear(quote.gas)) return { kind: 'token-immovable' };
	if (kind === 'gas') {
		const paid = journal.sweeps.gasPaymentsSince(network, address, now - DAY_MILLISECONDS);
		// One of a day is left for the sweep of what the order asked for.
		if (paid >= GAS_PAYMENTS_PER_DAY - 1) return { kind: 'gas-too-often' };
		return payGas(signing, { ...row, kind, payInAddress: address, sweepAsset: asset }, quote, usd[0]);
	}
	const signed = await signer.returnToken({ id, token: asset, index, to }, stateOf(signing, address)).catch(gasMissing);
	if (isRefusal(signed)) return signed;
	const { raw, txId, amount, fee, spends } = signed;
	if (isDear(fee)) return { kind: 'token-immovable' };
	journal.sweeps.record({ id, kind, network, address, asset, amount, raw, txId, at: now }, spends);
	return { raw, txId };
}

/** Why nothing may be signed for it, by D1's rows and their seals. */
async function tokenRefusal(
	{ network, sealKeys, journal, signer }: Signing,
	{ row, token: { token: asset, toAddress: to, toSeal, foundAt: at }, order }: TokenClaim,
	address: string,
): Promise<SignerRefusal | null> {
	if (row.network !== network) return { kind: 'other-network' };
	if (row.payInAddress !== address) return { kind: 'pay-in-address-not-ours' };
	if (row.asset !== nativeAsset(network)) return { kind: 'other-asset' };
	if (isListedToken(network, asset)) return { kind: 'token-listed' };
	if (to === null || toSeal === null || isOwnAddress(journal, network, signer.hotAddress(), to))
		return { kind: 'other-recipient' };
	if (row.toAddress !== (row.kind === 'gas' ? address : to)) return { kind: 'other-recipient' };
	const terms = { orderId: order.id, network, asset, to, at };
	if (!(await straySealHolds(sealKeys, terms, toSeal))) return { kind: 'other-recipient' };
	return addressRefusal(order, { network, address }, sealKeys, journal.addressOrders);
}
