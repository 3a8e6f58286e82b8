/** The means to judge and sign a transaction. The vault makes one of these for each transaction. */
import type { AssetId } from '../catalog/assets.ts';
import { nativeAsset } from '../catalog/assets.ts';
import type { Raised } from '../catalog/confirmations.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { Look } from '../chains/port.ts';
import type { ChainSigner, Payment, SigningState } from '../chains/signing-port.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { type Decimal, usdCents } from '../money/decimal.ts';
import { inSpan } from '../platform/span.ts';
import type { Signed, WithdrawalAddresses } from '../ports/signer.ts';
import type { Move } from '../treasury/moves.ts';
import type { CapPurpose } from '../treasury/over-cap.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import { usdValue } from '../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../treasury/table.ts';
import type { Journal, NewSignature } from './journal/journal.ts';
import type { EntryName } from './journal/moved.ts';
import type { Claim } from './payouts/judge.ts';
import type { PriceWatch } from './price-watch.ts';
import type { Restored } from './restored.ts';

export interface Signing {
	readonly network: NetworkName;
	/** The network's wallets. */
	readonly signer: ChainSigner;
	/** The network, by the signer's own node. */
	readonly chain: Look;
	readonly journal: Journal;
	/** Its journal lacks what was paid on networks that it does not sign on, and sweeps; its transactions lack a signature. */
	readonly isCosigner: boolean;
	readonly prices: PriceWatch;
	readonly sealKeys: KeyRing;
	/** How far a settled rate may be above the signer's own, basis points. */
	readonly toleranceBps: number;
	/** The moment, and its UTC day, `YYYY-MM-DD`. */
	readonly now: number;
	readonly day: string;
	/** Why the day's cap does not allow this many cents more; null if it does. */
	readonly capRefusal: (purpose: CapPurpose, usdCents: number) => SignerRefusal | null;
	/** The wallets of another network; null where the signer does not run it. */
	readonly signerOn: (network: NetworkName) => ChainSigner | null;
	/** Another network, by the signer's own node; null where the signer does not run it. */
	readonly chainOn: (network: NetworkName) => Look | null;
	/** The payouts of orders, as D1 has them. */
	readonly payoutsOf: (orderIds: readonly string[]) => Promise<readonly Claim[]>;
	/** The depth that the signer's own configuration asks of deposits beyond the catalog. */
	readonly asked: (network: NetworkName) => Raised;
	/** The addresses that withdrawals from the network's hot wallet may go to. */
	readonly withdrawalAddresses: () => WithdrawalAddresses;
	/** Why no person has confirmed the move; null where one has, or nobody is asked. */
	readonly unconfirmed: (move: Move) => SignerRefusal | null;
	/** The orders for which nothing is signed after a restore, until a person has looked. */
	readonly restored: Restored;
}

/** One transaction that D1 names, and how it is judged and signed. */
export interface Signable {
	readonly row: TransactionRow;
	/** The move that persons have to confirm before it is signed; null where nobody is asked. */
	readonly move: Move | null;
	readonly sign: (signing: Signing) => Promise<Signed | SignerRefusal>;
	/** The names that the judgement looks up in the journal, beside its id. */
	readonly names: readonly EntryName[];
}

/** `payIn`: the pay-in address that signs; null where only the hot wallet does. */
export const stateOf = ({ journal, network, now }: Signing, payIn: string | null): SigningState => ({
	spent: journal.spends({ network, payIn, now }),
	indexesOf: (addresses) => journal.addresses.indexesOf(network, addresses),
	isSigned: (txId) => journal.isSigned(txId),
});

/** The US cents that a network fee is worth, rounded down. `nativeUsd`: US dollars for one coin of the network. */
export const feeCents = (network: NetworkName, fee: bigint, nativeUsd: Decimal): number =>
	usdCents(usdValue(fee, nativeAsset(network), nativeUsd));

export interface JudgedPayment extends Pick<NewSignature, 'orderId' | 'fromNetwork' | 'deposits'> {
	readonly row: Pick<TransactionRow, 'id' | 'kind' | 'toAddress' | 'amount'>;
	readonly asset: AssetId;
	readonly purpose: CapPurpose;
	/** The US cents that the payment and a network fee of `fee` base units are worth. */
	readonly cents: (fee: bigint) => number;
	/** Checks again what another call may have changed while this one signed. */
	readonly overtaken?: () => SignerRefusal | null;
	/** Written in the transaction that records the signature. `fee`: of the network, base units of its native coin. */
	readonly also?: (signed: Signed, fee: bigint) => void;
}

/**
 * Signs a payment from the hot wallet that was judged to be owed, within the day's cap.
 *
 * Atomic: the last checks and the record are one synchronous turn, and the record is written before the signature
 * leaves. Other networks may have signed meanwhile, so the cap is checked again, now with the fee.
 */
export async function signPayment(signing: Signing, judged: JudgedPayment): Promise<Signed | SignerRefusal> {
	const { network, journal, capRefusal, day, now } = signing;
	const { row, asset, purpose, cents, also, overtaken: lateRefusal, ...paysFor } = judged;
	const aboveCap = capRefusal(purpose, cents(0n));
	if (aboveCap) return aboveCap;
	const payment: Payment = { id: row.id, asset, to: row.toAddress, amount: BigInt(row.amount) };
	const transaction = await inSpan('sign', () => signing.signer.sign(payment, stateOf(signing, null)), network);
	const usdCents = cents(transaction.fee);
	const overtaken = lateRefusal?.() ?? capRefusal(purpose, usdCents);
	if (overtaken) return overtaken;
	const signed = { raw: transaction.raw, txId: transaction.txId };
	const refusal = journal.record({
		...paysFor,
		payoutId: row.id,
		kind: row.kind,
		network,
		transaction,
		payment,
		day,
		usdCents,
		now,
		...(also && { also: () => also(signed, transaction.fee) }),
	});
	return refusal ?? signed;
}
