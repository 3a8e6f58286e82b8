/**
 * Judges and signs consolidations, which join small outputs of the hot wallet into one. Nobody can steal with it,
 * because the only recipient is the hot wallet, whatever the row says. Nobody can burn much with it either: the
 * signer's own node must report low fees, each output is worth three times what spending it costs, and the fee counts
 * towards the day's cap. The signer alone decides which outputs are joined.
 *
 * Atomic: the signature and what it spends are one transaction of the journal. Each network has one unfinished
 * consolidation at a time.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import type { Movement } from '../journal/sweeps.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, stateOf } from '../signing.ts';
import { unfinished } from './unfinished.ts';

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
