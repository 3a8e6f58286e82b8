/**
 * Judges and signs what moves between our own wallets. Asked by the vault in the turn of the network, so that nonces are
 * chosen by one thread. Atomic: the signature and what it spends are one transaction of the journal, written before the
 * signature leaves.
 *
 * An address has one unfinished movement at a time: while no block holds the last one, a request for another, under
 * whatever id, is answered with that same transaction. So who calls as often as he likes gets one.
 */

import type { AssetId } from '../catalog/assets.ts';
import { nativeAsset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import {
	type Chain,
	type ChainSigner,
	InsufficientReserve,
	PaymentImpossible,
	type SignedTransaction,
	type SigningState,
} from '../chains/port.ts';
import { log, logError } from '../http/log.ts';
import { type Decimal, usdCents } from '../money/decimal.ts';
import type { Signed, SignOutcome } from '../treasury/signer-port.ts';
import { usdValue } from '../treasury/sweep-rules.ts';
import type { Journal } from './journal.ts';
import type { Movement, SweepJournal } from './sweep-journal.ts';
import {
	costsTooMuch,
	gasRefusal,
	type MovementRow,
	movementRefusal,
	sweepRefusal,
	type Verdict,
} from './sweep-judge.ts';

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
		const calls = error instanceof PaymentImpossible || (error instanceof InsufficientReserve && row.kind === 'gas');
		return { payoutId: row.id, refused: String(error), again: !calls };
	}
}

async function judgeAndSign(signing: SweepSigning, row: MovementRow): Promise<Signed | Verdict> {
	const { network, signer, chain, journal, sweeps, now } = signing;
	const { kind, sweepAsset: asset, payInAddress: address } = row;
	const before = sweeps.movement(row.id);
	if (before) return signedOf(before);
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
	const day = new Date(now).toISOString().slice(0, 10);

	if (kind === 'gas') {
		const amount = BigInt(row.amount);
		const excess = gasRefusal(amount, quote, sweeps.gasPaymentsSince(network, address, now - DAY_MILLISECONDS));
		if (excess) return excess;
		const cents = usdCents(usdValue(amount, native, nativeUsd));
		signing.requireWithinCap(day, cents);
		const transaction = await signer.sign({ id: row.id, asset: native, to: address, amount }, signing.state);
		// Again, and in one turn with the record: other networks may have signed meanwhile.
		signing.requireWithinCap(day, cents);
		return recorded(signing, row, { ...transaction, amount }, { day, usdCents: cents });
	}
	const transaction = await signer.sweep({ id: row.id, asset, index: row.payInIndex }, signing.state);
	if (costsTooMuch(transaction.amount, transaction.fee, { asset, usd, nativeUsd }))
		return { refused: 'its fee may be more than it brings', again: true };
	return recorded(signing, row, transaction, { day, usdCents: 0 });
}

/** The last movement of this kind, where no block holds it; a sweep that was reverted would be again. */
async function unfinishedMovement(
	{ network, chain, sweeps }: SweepSigning,
	row: MovementRow,
): Promise<Signed | Verdict | null> {
	const last = sweeps.newest(network, row.payInAddress, row.sweepAsset, row.kind);
	if (!last) return null;
	const depth = await chain.transactionDepth(last.txId);
	if (depth?.reverted) return { refused: `the last one, ${last.txId}, was reverted`, again: false };
	return depth === null || depth.height === null ? signedOf(last) : null;
}

const signedOf = ({ raw, txId, amount }: Pick<Movement, 'raw' | 'txId' | 'amount'>): Signed => ({ raw, txId, amount });

function recorded(
	{ network, sweeps, now }: SweepSigning,
	{ id, kind, payInAddress: address, sweepAsset: asset }: MovementRow,
	transaction: SignedTransaction & { readonly amount: bigint },
	counted: { readonly day: string; readonly usdCents: number },
): Signed {
	const { raw, txId, amount, spends } = transaction;
	sweeps.record({ id, kind, network, address, asset, amount, raw, txId, at: now, spends, ...counted });
	return signedOf(transaction);
}
