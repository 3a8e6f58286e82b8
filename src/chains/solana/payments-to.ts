/**
 * Payments that the hot wallet made since a moment, found by what they brought to the recipient: for a payment that may be
 * sent and is not on record. The wallet signs each of them, so its history has them all. What cannot be read to the end is
 * an error: a payment must not look unsent.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { keptSearch } from '../kept-search.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SentPayment } from '../sent-payment.ts';
import type { PaidTerms } from '../signing-port.ts';
import { accountOf } from './assets.ts';
import { accountKeys, creditOf, hasFailed, paidFirst } from './credits.ts';
import { transactionsOf } from './depth.ts';
import { SEEN } from './node.ts';
import { isTransactionId, SIGNATURES, type Transaction } from './shapes.ts';

/** Block times may be so much before the real ones. */
const CLOCK_MILLISECONDS = 900_000;
/** The most that a node gives at once, and pages and transactions of one search. */
const SIGNATURES_PER_PAGE = 1_000;
const MAX_PAGES = 5;
const MAX_TRANSACTIONS = 2_000;

/** Finds transactions that succeeded. It throws `ChainUnavailable`. */
export function sentPayments(rpc: JsonRpc, hotAddress: string) {
	const sentSince = keptSearch(async (_: 'all', since): Promise<readonly Transaction[]> => {
		const txIds = await signaturesSince(rpc, hotAddress, (since - CLOCK_MILLISECONDS) / 1000);
		if (txIds.length > MAX_TRANSACTIONS) throw new ChainUnavailable(TOO_MUCH);
		const found = (await transactionsOf(rpc, txIds, SEEN)).filter((each) => each !== null);
		if (found.length < txIds.length) throw new ChainUnavailable('the node lacks a transaction of the hot wallet');
		return found.filter((each) => !hasFailed(each) && paidFirst(each) === hotAddress);
	});
	return async (asset: AssetId, to: readonly string[], since: number): Promise<SentPayment[]> => {
		const sent = await sentSince('all', since);
		const asked = new Map(sent.length > 0 ? to.map((owner) => [accountOf(owner, asset), owner]) : []);
		return sent.flatMap((each) =>
			accountKeys(each).flatMap((account) => {
				const owner = asked.get(account);
				const amount = owner === undefined ? 0n : creditOf(each, owner, asset);
				return owner !== undefined && amount > 0n
					? [{ txId: each.transaction.signatures[0] ?? '', to: owner, amount }]
					: [];
			}),
		);
	};
}

/** Is this transaction of the hot wallet that payment? @throws ChainUnavailable */
export async function hasPaid(
	rpc: JsonRpc,
	hotAddress: string,
	txId: string,
	{ asset, to, amount }: PaidTerms,
): Promise<boolean> {
	const [sent] = isTransactionId(txId) ? await transactionsOf(rpc, [txId], SEEN) : [];
	return !!sent && !hasFailed(sent) && paidFirst(sent) === hotAddress && creditOf(sent, to, asset) === amount;
}

/** `time`: Unix seconds. @throws ChainUnavailable */
async function signaturesSince(rpc: JsonRpc, hotAddress: string, time: number): Promise<string[]> {
	const txIds: string[] = [];
	for (let page = 0, before: string | undefined; page < MAX_PAGES; page++) {
		const options = { commitment: SEEN, limit: SIGNATURES_PER_PAGE, ...(before && { before }) };
		const rows = await ask(rpc, SIGNATURES, 'getSignaturesForAddress', hotAddress, options);
		const young = rows.filter(({ blockTime }) => blockTime == null || blockTime >= time);
		txIds.push(...young.filter(({ err }) => err === null).map(({ signature }) => signature));
		if (young.length < rows.length || rows.length < SIGNATURES_PER_PAGE) return txIds;
		before = rows.at(-1)?.signature;
	}
	throw new ChainUnavailable(TOO_MUCH);
}

const TOO_MUCH = 'the hot wallet has sent too many transactions to be searched';
