/**
 * A row's claim that the signer has signed a transaction. The signer's journal knows better: `ledger check` asks it,
 * because each such row lowers what the wallets should hold. Pure.
 */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { TransactionKind } from './table.ts';

export interface SentClaim {
	readonly id: string;
	readonly kind: TransactionKind;
	readonly network: NetworkName;
	readonly asset: AssetId;
	/** Base units, in text: who writes D1 may have written anything. */
	readonly amount: string;
	readonly txId: string | null;
	readonly signedAt: number | null;
}

const TEXTS = {
	unsigned: 'the signer has not signed it',
	'other-terms': 'the signer has signed it for another kind, network, asset or amount',
	'other-transaction': 'its transaction id is none that the signer has signed for it',
} as const;

/** Why a claim is false. */
export type FalseClaim = keyof typeof TEXTS;

/** `older`: the journal does not have it, and has forgotten what was signed at that time. Null: it is as claimed. */
export type ClaimAnswer = FalseClaim | 'older' | null;

export const falseClaimText = (kind: FalseClaim): string => TEXTS[kind];

/** Most claims of one call. */
export const MOST_CLAIMS = 500;
