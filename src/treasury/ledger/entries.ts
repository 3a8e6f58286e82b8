/**
 * The books, in double entry: every order's entries always sum to zero per asset. Amounts are signed base units: what
 * the wallets hold is positive on `wallet`, what is owed to somebody is negative on their account. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { Settlement } from '../../orders/settlement.ts';
import type { ledgerEntries } from './table.ts';

type Account =
	| 'wallet'
	/** The exchange of one asset for the other at the market rate. */
	| 'market'
	/** Owed to the recipient. */
	| 'payable'
	/** Deposits that nobody decided about and that do not pay for their way back. */
	| 'unreturned'
	/** Kept back for the payout's network fee. */
	| 'networkFee'
	/** The partner's and the house's shares, pending until the order is DONE, then earned. */
	| 'partnerPending'
	| 'housePending'
	| 'partner'
	| 'house'
	/**
	 * Paid to the partner, in the assets that they earned (`earnings/store.ts`). What the wallets still hold of these
	 * assets then belongs to the house: the operator paid from outside, or the wallets paid in the payout's own asset.
	 */
	| 'partnerPaid';
export type LedgerEntry = typeof ledgerEntries.$inferInsert;
export type Amounts = Readonly<Partial<Record<Account, bigint>>>;

interface Booking {
	readonly orderId: string;
	/** A refund's carries its transaction's id: an order may have several. */
	readonly cause: 'settled' | 'paid' | `restated ${string}` | `refunded ${string}` | Unreturned;
	readonly at: number;
}

/** A booking of deposits that are too small to go back, which is their `payoutId` too. */
export type Unreturned = `unreturned ${string}`;

export const isUnreturned = (payoutId: string | null): boolean => payoutId?.startsWith('unreturned ') ?? false;

function entries({ orderId, cause, at }: Booking, asset: AssetId, amounts: Amounts): LedgerEntry[] {
	return Object.entries(amounts)
		.filter(([, amount]) => amount !== 0n)
		.map(([account, amount]) => ({ orderId, cause, account, asset, amount: amount.toString(), at }));
}

/** The deposit came in. At the market rate it bought `gross` of the destination asset, which is divided here. */
export function settledEntries(
	orderId: string,
	{ from, to }: { readonly from: AssetId; readonly to: AssetId },
	{ received, gross, owed, fee, afftax }: Settlement,
	at: number,
): LedgerEntry[] {
	const booking = { orderId, cause: 'settled', at } as const;
	return [
		...entries(booking, from, { wallet: received, market: -received }),
		...entries(booking, to, {
			market: gross,
			payable: -owed,
			networkFee: -fee,
			partnerPending: -afftax,
			housePending: -(gross - owed - fee - afftax),
		}),
	];
}

/** The payout is another one than was settled since, and the partner's share is that one's; the house has the difference. */
export function restatedEntries(
	{ orderId, payoutId, to }: { readonly orderId: string; readonly payoutId: string; readonly to: AssetId },
	{ partnerPending = 0n }: Amounts,
	afftax: bigint,
	at: number,
): LedgerEntry[] {
	const more = -afftax - partnerPending;
	return entries({ orderId, cause: `restated ${payoutId}`, at }, to, { partnerPending: more, housePending: -more });
}

/**
 * The payout left the wallet, and the pending shares are earned. `settled`: the order's entries in the same asset. Where
 * another amount was paid than was owed (`transactions/found.ts`), the house has the difference.
 */
export function paidEntries(
	{ orderId, to }: { readonly orderId: string; readonly to: AssetId },
	settled: Amounts,
	paid: bigint,
	at: number,
): LedgerEntry[] {
	const { payable = 0n, partnerPending = 0n, housePending = 0n } = settled;
	return entries({ orderId, cause: 'paid', at }, to, {
		wallet: -paid,
		payable: -payable,
		partnerPending: -partnerPending,
		partner: partnerPending,
		housePending: -housePending,
		house: housePending + payable + paid,
	});
}

/** Entries of a refund: the receipt goes back, less the network fee, which is kept to pay the network. */
export function refundedEntries(
	{ orderId, payoutId, asset }: { readonly orderId: string; readonly payoutId: string; readonly asset: AssetId },
	{ received, sent }: { readonly received: bigint; readonly sent: bigint },
	at: number,
): LedgerEntry[] {
	const fee = received - sent;
	return entries({ orderId, cause: `refunded ${payoutId}`, at }, asset, { wallet: fee, networkFee: -fee });
}

/** Entries of a receipt that stays, because it does not pay for its way back. */
export const unreturnedEntries = (
	{ orderId, cause }: { readonly orderId: string; readonly cause: Unreturned },
	asset: AssetId,
	received: bigint,
	at: number,
): LedgerEntry[] => entries({ orderId, cause, at }, asset, { wallet: received, unreturned: -received });

/** The balance of each account among the given entries of one asset. */
export function amountsOf(rows: readonly Pick<LedgerEntry, 'account' | 'amount'>[]): Amounts {
	const amounts: Record<string, bigint> = {};
	for (const { account, amount } of rows) amounts[account] = (amounts[account] ?? 0n) + BigInt(amount);
	return amounts;
}
