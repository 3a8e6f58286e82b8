/**
 * Creating an order (book: contract, "POST /api/v1/create", "Orders"): re-quote, check the limits, take an address,
 * write one batch. A replay is answered even where maintenance, limits or rates would refuse it now: before a refusal is
 * returned, the order of the same Idempotency-Key is looked up, and then that of the same unique reference.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { isPairActive } from '../catalog/settings.ts';
import { randomToken, sha256Hex } from '../crypto/tokens.ts';
import { isRefusal } from '../http/refusal.ts';
import type { Refusal } from '../http/refusals.ts';
import { type Decimal, plain, usdCents } from '../money/decimal.ts';
import { toBaseUnits } from '../money/units.ts';
import { newEndpoint } from '../partners/webhook-endpoints.ts';
import { JoinedCalls } from '../platform/joined.ts';
import { log } from '../platform/log.ts';
import { DAY_MILLISECONDS, utcDay } from '../platform/time.ts';
import type { AdmittedPartner } from '../ports/gates.ts';
import { feesOf } from '../pricing/lean.ts';
import { isWatched, type Market } from '../pricing/market.ts';
import { type FeeBps, type Quote, quoteOf, termsOf } from '../pricing/quote.ts';
import type { CreateContext, Created, CreateInput, NamedBy } from './creation.ts';
import { dustBelow } from './dust.ts';
import { floorOf } from './floor.ts';
import { forgetStock, takeAddress } from './pay-in-addresses.ts';
import { unusableRecipient } from './recipients.ts';
import { replayOf, requestHashOf } from './replay.ts';
import { type OrderTerms, sealOrder } from './seal.ts';
import { findOrder, type InsertOutcome, insertOrders, type NewOrder, type RefusedTogether } from './store.ts';
import type { NewOrderRow, OrderRow } from './table.ts';

/** A deposit is looked for this long after the window closed (book: contract, "Orders": 30 days). */
const WATCH_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** Tries at taking an address, or at learning what became of a write whose answer was lost. */
const MAX_TRIES = 5;

export async function createOrder(
	context: CreateContext,
	partner: AdmittedPartner,
	input: CreateInput,
	idempotencyKey: string | null,
): Promise<Created | Refusal> {
	const requestHash = await requestHashOf(input);
	const fresh = await createFresh(context, partner, input, { idempotencyKey, requestHash });
	if (!isRefusal(fresh)) return fresh;
	const names: NamedBy[] = [
		...(idempotencyKey === null ? [] : [{ idempotencyKey }]),
		...(input.reference?.isUnique ? [{ externalId: input.reference.externalId }] : []),
	];
	for (const name of names) {
		const replayed = await replayOf(context, partner.id, name, requestHash);
		if (replayed) return replayed;
	}
	return fresh;
}

export const appKeyOf = ({ key }: AdmittedPartner): string | null => (key?.kind === 'app' ? key.id : null);

async function createFresh(
	context: CreateContext,
	partner: AdmittedPartner,
	input: CreateInput,
	{ idempotencyKey, requestHash }: { readonly idempotencyKey: string | null; readonly requestHash: string },
): Promise<Created | Refusal> {
	const market = await context.market();
	if (!market) return { kind: 'no-market' };
	const ours = ownWallet(context, market, input);
	if (ours) return { kind: 'address-hot-wallet', field: ours };
	const afftaxBps = input.afftax ?? partner.defaultAfftaxBps;
	const fees = feesOf(market, input, afftaxBps, context.now);
	const quote = quoteForOrder(market, input, fees, context.now);
	if (isRefusal(quote)) return quote;
	const minToAmount = input.floor && floorOf(input.floor, quote.toAmount, input.to);
	if (minToAmount?.gt(quote.toAmount)) return floorRefusal(input, minToAmount, quote);
	const unusable = await unusableRecipient(context, input);
	if (unusable) return { kind: 'address-unusable', field: unusable };

	const token = randomToken();
	const draft = {
		...pricedFields(input, quote),
		minToAmount: minToAmount && plain(minToAmount),
		id: crypto.randomUUID(),
		partnerId: partner.id,
		referenceCode: partner.referenceCode,
		appKey: appKeyOf(partner),
		...fees,
		tokenHash: await sha256Hex(token),
		idempotencyKey,
		requestHash,
		externalId: input.reference?.externalId ?? null,
		externalIdUnique: input.reference?.isUnique ?? false,
		capDay: utcDay(context.now),
		createdAt: context.now,
		updatedAt: context.now,
		expiresAt: context.now + market.settings.depositWindowSeconds * 1000,
		watchUntil: context.now + market.settings.depositWindowSeconds * 1000 + WATCH_MILLISECONDS,
	};
	return writeOrder(context, draft, { token, callbackUrl: input.callbackUrl });
}

/**
 * Coins to a wallet of ours would be in the books twice. Our pay-in addresses are refused as well, by D1 in the batch
 * that writes the order.
 */
function ownWallet(
	{ isSameAddress }: CreateContext,
	market: Market,
	{ from, to, toAddress, refundAddress }: CreateInput,
): 'toAddress' | 'refundAddress' | null {
	const isOurs = (network: NetworkName, address: string): boolean => {
		const hotAddress = market.networks[network]?.hotAddress;
		return hotAddress !== undefined && isSameAddress(network, hotAddress, address);
	};
	if (isOurs(to.network, toAddress)) return 'toAddress';
	return isOurs(from.network, refundAddress) ? 'refundAddress' : null;
}

function quoteForOrder(market: Market, input: CreateInput, fees: FeeBps, now: number): Quote | Refusal {
	const { from, to, direction, amount } = input;
	if (!isPairActive(market.settings, from, to)) return { kind: 'pair-inactive', from: from.code, to: to.code };
	if (market.settings.maintenance) return { kind: 'maintenance' };
	const terms = termsOf(market, { from, to }, fees, now);
	if (!terms || !isWatched(market, from, now)) return { kind: 'no-price', from: from.code, to: to.code };
	const quote = quoteOf(terms, direction, amount);
	const { from: paid, to: sent } = terms.shown;
	const limits = { fromMin: paid.min, fromMax: paid.max, toMin: sent.min, toMax: sent.max };
	const facts = { asset: from.code, limits };
	if (quote.fromAmount.lt(quote.min)) return { kind: 'amount-below-minimum', bound: plain(quote.min), ...facts };
	if (quote.fromAmount.gt(quote.max)) return { kind: 'amount-above-maximum', bound: plain(quote.max), ...facts };
	if (!quote.toAmount.gt('0')) return { kind: 'payout-not-positive' };
	return quote;
}

const floorRefusal = ({ to }: CreateInput, floor: Decimal, { toAmount }: Quote): Refusal => ({
	kind: 'floor-above-quote',
	asset: to.code,
	floor: plain(floor),
	toAmount: plain(toAmount),
});

const pricedFields = (input: CreateInput, quote: Quote) => ({
	fromAsset: input.from.code,
	fromNetwork: input.from.network,
	toAsset: input.to.code,
	toNetwork: input.to.network,
	direction: input.direction,
	toAddress: input.toAddress,
	refundAddress: input.refundAddress,
	// The quote echoes the caller's spelling; an order has one spelling of its own.
	fromAmount: plain(quote.fromAmount),
	toAmount: plain(quote.toAmount),
	rate: plain(quote.rate),
	networkFee: plain(quote.networkFee),
	usdCents: usdCents(quote.fromAmount.times(quote.fromUsd)),
	dustBelow: dustBelow(quote.fromFee, toBaseUnits(plain(quote.fromAmount), input.from.decimals)).toString(),
});

/** Orders of this isolate that are being written. */
const writes = new JoinedCalls<NewOrder, InsertOutcome | RefusedTogether>();

/**
 * Orders that come at once are one batch. Where D1 refuses one of them it has none, and each is written by itself: so an
 * order that cannot be made costs those that came with it a second try, and nothing else. Never throws.
 */
async function insertOrder({ db, background }: CreateContext, made: NewOrder): Promise<InsertOutcome> {
	const send = (orders: readonly NewOrder[]) => insertOrders(db, orders);
	try {
		const outcome = await writes.ask('orders', made, { send, background });
		if (outcome !== 'refused together') return outcome;
		const [alone] = await send([made]);
		return alone && alone !== 'refused together' ? alone : 'unknown';
	} catch (error) {
		// The trip is lost: the order may be there or not.
		log('create_answer_lost', { orderId: made.order.id, error: String(error) });
		return 'unknown';
	}
}

/** The events of one order. */
const CALLBACK_EVENTS = ['order.status_changed'];

type Draft = Omit<NewOrderRow, 'payInAddress' | 'payInIndex' | 'seal'> & Pick<OrderRow, 'minToAmount'>;

async function writeOrder(
	context: CreateContext,
	draft: Draft,
	{ token, callbackUrl }: { readonly token: string; readonly callbackUrl: string | null },
): Promise<Created | Refusal> {
	const { db, sealKeys, addresses, now } = context;
	const of = { partnerId: draft.partnerId, orderId: draft.id, events: CALLBACK_EVENTS, enabled: true };
	const callback = callbackUrl === null ? null : await newEndpoint(sealKeys, { ...of, url: callbackUrl }, now);
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const address = await takeAddress(addresses, sealKeys, draft.fromNetwork);
		if (!address) return { kind: 'no-pay-in-address', network: draft.fromNetwork };
		const placed = { ...draft, payInAddress: address.address, payInIndex: address.derivationIndex };
		const row: NewOrderRow = { ...placed, seal: await sealOrder(sealKeys, placed satisfies OrderTerms) };
		const outcome = await insertOrder(context, { order: row, callback });
		if (typeof outcome === 'object') return { order: outcome, token };
		switch (outcome) {
			case 'address taken':
				forgetStock(draft.fromNetwork);
				continue;
			case 'maintenance':
				return { kind: 'maintenance' };
			case 'daily cap':
				return { kind: 'daily-cap' };
			case 'unpaid share':
				return { kind: 'unpaid-share' };
			case 'own address':
				return { kind: 'address-pay-in' };
			case 'id taken':
			case 'key taken':
			case 'unknown': {
				// An answer was lost, or one before this: the row, read by our own random id, says what is true.
				const order = await findOrder(db, row.id).catch(() => null);
				if (order) return { order, token };
				if (outcome === 'key taken') return { kind: 'idempotency-key-taken' };
				log('create_answer_lost', { orderId: row.id, tries });
				continue;
			}
			default:
				outcome satisfies never;
		}
	}
	throw new Error('the order could not be written');
}
