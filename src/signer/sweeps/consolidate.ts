/**
 * Judges and signs the joining of small outputs. Nobody can steal by it: the only recipient is the payout wallet, whatever
 * the row says. Nor burn much: the signer's own node must call fees low, each output is worth three times what spending it
 * costs, and the fee counts for the day's cap. Which outputs, and what arrives, the signer decides alone.
 *
 * Atomic: the signature and what it spends are one transaction of the journal. There is one unfinished consolidation of a
 * network at a time: while no block holds the last one, whoever asks for another gets that same transaction.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { BroadcastRejected } from '../../chains/errors.ts';
import type { Chain } from '../../chains/port.ts';
import { log, logError } from '../../log.ts';
import { usdCents } from '../../money/decimal.ts';
import type { Signed, SignOutcome } from '../../treasury/signer-port.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import type { Movement } from '../journal/sweeps.ts';
import type { Verdict } from './judge.ts';
import type { SweepSigning } from './sign.ts';

export async function signConsolidation(signing: SweepSigning, row: TransactionRow): Promise<SignOutcome> {
	const { network } = signing;
	try {
		const outcome = await judgeAndSign(signing, row);
		if ('raw' in outcome) return { payoutId: row.id, signed: outcome };
		log('signing_refused', { payoutId: row.id, network, ...outcome });
		return { payoutId: row.id, ...outcome };
	} catch (error) {
		logError('signing_failed', error, { payoutId: row.id, network });
		return { payoutId: row.id, refused: String(error), again: true };
	}
}

async function judgeAndSign(signing: SweepSigning, row: TransactionRow): Promise<Signed | Verdict> {
	const { network, signer, chain, journal, sweeps, state, now } = signing;
	const before = sweeps.movement(row.id);
	if (before) return signedOf(before);
	const asset = nativeAsset(network);
	const address = signer.hotAddress();
	if (row.network !== network || row.asset !== asset) return { refused: 'another network', again: false };
	if (row.toAddress !== address) return { refused: 'another recipient', again: false };
	if (!signer.consolidate) return { refused: 'nothing is joined on this network', again: false };
	const last = sweeps.newest(network, address, asset, 'consolidation');
	if (last && (await isUnfinished(chain, last))) return signedOf(last);
	const transaction = await signer.consolidate(state);
	if (!transaction) return { refused: 'there is nothing to join now, or fees are not low', again: true };
	const [usd] = await signing.usdPrices(asset, asset);
	const day = new Date(now).toISOString().slice(0, 10);
	const cents = usdCents(usdValue(transaction.fee, asset, usd));
	signing.requireWithinCap(day, cents);
	const { raw, txId, amount } = transaction;
	const movement: Movement = {
		...{ id: row.id, kind: 'consolidation', network, address, asset },
		amount,
		raw,
		txId,
		at: now,
	};
	journal.record({
		...{ payoutId: row.id, orderId: '', kind: 'consolidation', network, transaction, payment: null },
		...{ fromNetwork: network, deposits: [], day, usdCents: cents, now },
		also: () => sweeps.note(movement),
	});
	return signedOf(movement);
}

/** One whose coins are gone can never confirm; only the network can tell, and to be given it again is what it is for. */
async function isUnfinished(chain: Chain, { txId, raw }: Movement): Promise<boolean> {
	const depth = await chain.transactionDepth(txId);
	if (depth && depth.height !== null) return false;
	try {
		await chain.broadcast(raw);
		return true;
	} catch (error) {
		return !(error instanceof BroadcastRejected && error.taken);
	}
}

const signedOf = ({ raw, txId, amount }: Movement): Signed => ({ raw, txId, amount });
