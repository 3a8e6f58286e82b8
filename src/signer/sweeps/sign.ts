/**
 * Judges and signs what moves between our own wallets. Asked by the vault in the turn of the network, so that nonces are
 * chosen by one thread. Atomic: the signature and what it spends are one transaction of the journal, written before the
 * signature leaves.
 *
 * An address has one unfinished movement at a time: while no block holds the last one, a request for another, under
 * whatever id, is answered with that same transaction. So who calls as often as he likes gets one.
 */

import type { AssetId } from '../../catalog/assets.ts';
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { BroadcastRejected, InsufficientReserve, PaymentImpossible, SigningBlocked } from '../../chains/errors.ts';
import type { Chain, SweepQuote } from '../../chains/port.ts';
import type { ChainSigner, SigningState } from '../../chains/signing-port.ts';
import { log, logError } from '../../log.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import type { Signed, SignOutcome } from '../../treasury/signer-port.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { Journal } from '../journal/journal.ts';
import type { Movement, SweepJournal } from '../journal/sweeps.ts';
import { costsTooMuch, gasRefusal, type MovementRow, movementRefusal, sweepRefusal, type Verdict } from './judge.ts';

const DAY_MILLISECONDS = 24 * 3_600_000;

export interface SweepSigning {
	readonly network: NetworkName;
	readonly signer: ChainSigner;
	/** By the signer's own node. */
	readonly chain: Chain;
	readonly journal: Journal;
	readonly sweeps: SweepJournal;
	readonly state: SigningState;
	/** The signer's own prices. @throws where one is too old */
	readonly usdPrices: (asset: AssetId, native: AssetId) => Promise<readonly [Decimal, Decimal]>;
	/** @throws where the day's cap does not bear it */
	readonly requireWithinCap: (day: string, usdCents: number) => void;
	readonly now: number;
}

export async function signMovement(signing: SweepSigning, row: MovementRow): Promise<SignOutcome> {
	const { network } = signing;
	try {
		const outcome = await judgeAndSign(signing, row);
		if ('raw' in outcome) return { payoutId: row.id, signed: outcome };
		log('signing_refused', { payoutId: row.id, network, ...outcome });
		return { payoutId: row.id, ...outcome };
	} catch (error) {
		logError('signing_failed', error, { payoutId: row.id, network });
		// An address that lacks gas is given some; an empty payout wallet is filled by a person.
		const isForPerson = error instanceof PaymentImpossible || error instanceof SigningBlocked;
		const calls = isForPerson || (error instanceof InsufficientReserve && row.kind === 'gas');
		return { payoutId: row.id, refused: String(error), again: !calls };
	}
}

async function judgeAndSign(signing: SweepSigning, row: MovementRow): Promise<Signed | Verdict> {
	const { network, signer, chain, journal, sweeps, now } = signing;
	const { kind, sweepAsset: asset, payInAddress: address } = row;
	const before = sweeps.movement(row.id);
	if (before) return newestOf(signing, before);
	const refusal = movementRefusal(row, network, signer.payInAddress(row.payInIndex), signer.hotAddress());
	if (refusal) return refusal;
	if (!chain.sweeping || !signer.sweep) return { refused: 'nothing is swept on this network', again: false };

	const unfinished = await unfinishedMovement(signing, row);
	if (unfinished) return unfinished;
	const native = nativeAsset(network);
	const [usd, nativeUsd] = await signing.usdPrices(asset, native);
	const [quote = { amount: 0n, fee: 0n, gas: 0n }] = await chain.sweeping.quote([{ address, asset }]);
	const claims = journal.claimsAt(network, address);
	const unworthy = sweepRefusal({ asset, quote, claims, usd, nativeUsd });
	if (unworthy) return unworthy;
	if (kind === 'gas') return payGas(signing, row, quote, nativeUsd);
	const { spends, ...transaction } = await signer.sweep({ id: row.id, asset, index: row.payInIndex }, signing.state);
	if (costsTooMuch(transaction.amount, transaction.fee, { asset, usd, nativeUsd }))
		return { refused: 'its fee may be more than it brings', again: true };
	sweeps.record(movementOf(row, transaction, now), spends);
	return signedOf(transaction);
}

/** A payment like a payout, in the journal as one: its fee may be raised, since payouts wait behind its nonce. */
async function payGas(
	{ network, signer, journal, sweeps, state, requireWithinCap, now }: SweepSigning,
	row: MovementRow,
	quote: SweepQuote,
	nativeUsd: Decimal,
): Promise<Signed | Verdict> {
	const { id, kind, payInAddress: address } = row;
	const asset = nativeAsset(network);
	const amount = BigInt(row.amount);
	const excess = gasRefusal(amount, quote, sweeps.gasPaymentsSince(network, address, now - DAY_MILLISECONDS));
	if (excess) return excess;
	const day = new Date(now).toISOString().slice(0, 10);
	const cents = usdCents(usdValue(amount, asset, nativeUsd));
	requireWithinCap(day, cents);
	const payment = { id, asset, to: address, amount };
	const transaction = await signer.sign(payment, state);
	// Again, and in one turn with the record: other networks may have signed meanwhile.
	const spentCents = usdCents(usdValue(amount + transaction.fee, asset, nativeUsd));
	requireWithinCap(day, spentCents);
	const movement = movementOf(row, { ...transaction, amount }, now);
	journal.record({
		...{ payoutId: id, orderId: '', kind, network, transaction, payment, fromNetwork: network, deposits: [] },
		...{ day, usdCents: spentCents, now },
		also: () => sweeps.note(movement),
	});
	return signedOf(movement);
}

/** The last movement of this kind, where no block holds it; a sweep that was reverted would be again. */
async function unfinishedMovement(signing: SweepSigning, row: MovementRow): Promise<Signed | Verdict | null> {
	const { network, chain, journal, sweeps } = signing;
	const last = sweeps.newest(network, row.payInAddress, row.sweepAsset, row.kind);
	if (!last) return null;
	const versions = journal.versions.of(last.id);
	for (const { txId } of versions.length > 0 ? versions : [last]) {
		const depth = await chain.transactionDepth(txId);
		if (depth?.reverted) return { refused: `the last one, ${txId}, was reverted`, again: false };
		if (depth && depth.height !== null) return null;
	}
	const newest = newestOf(signing, last);
	return (await isExpired(chain, newest.raw)) ? null : newest;
}

/** Only the network can tell, and to be given it once more is what it is for. */
async function isExpired(chain: Chain, raw: string): Promise<boolean> {
	try {
		await chain.broadcast(raw);
		return false;
	} catch (error) {
		return error instanceof BroadcastRejected && error.expired;
	}
}

/** Its version with the highest fee. */
const newestOf = ({ journal }: SweepSigning, movement: Movement): Signed =>
	signedOf({ ...movement, ...journal.versions.of(movement.id)[0] });

const signedOf = ({ raw, txId, amount }: Pick<Movement, 'raw' | 'txId' | 'amount'>): Signed => ({ raw, txId, amount });

const movementOf = (
	{ id, kind, network, payInAddress: address, sweepAsset: asset }: MovementRow,
	{ raw, txId, amount }: Pick<Movement, 'raw' | 'txId' | 'amount'>,
	at: number,
): Movement => ({ id, kind, network, address, asset, amount, raw, txId, at });
