/** The input of a create, its view of the world, and its outcome. Types alone. */
import type { BatchReference } from '../archive/find.ts';
import type { Asset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Amount } from '../money/amount.ts';
import type { Market } from '../pricing/market.ts';
import type { Floor } from './floor.ts';
import type { AddressSource } from './pay-in-addresses.ts';
import type { OrdersDatabase } from './store.ts';
import type { OrderRow } from './table.ts';

export interface CreateInput {
	readonly from: Asset;
	readonly to: Asset;
	readonly direction: 'from' | 'to';
	readonly amount: Amount;
	readonly toAddress: string;
	readonly refundAddress: string;
	readonly tag: string | null;
	readonly afftax: number | null;
	readonly floor: Floor | null;
	readonly reference: Reference | null;
	/** Where the order's events go beside the partner's endpoints. */
	readonly callbackUrl: string | null;
}

/** The partner's own (book: contract, "Beyond the contract"). */
interface Reference {
	readonly externalId: string;
	/** Among the creates that ask for it, the reference makes one order. */
	readonly isUnique: boolean;
}

/** The key that makes a second create the replay of a first one. */
export type NamedBy = { readonly idempotencyKey: string } | { readonly externalId: string };

export interface CreateContext {
	readonly db: OrdersDatabase;
	readonly sealKeys: KeyRing;
	readonly addresses: AddressSource;
	/** The archived order of what names a request, whose batch's seal was checked. @throws where it cannot be read */
	readonly archived: (batches: readonly BatchReference[], partnerId: string, by: NamedBy) => Promise<OrderRow | null>;
	readonly market: () => Market | null | Promise<Market | null>;
	/** Do two accepted addresses of a network name the same recipient? */
	readonly isSameAddress: (network: NetworkName, one: string, other: string) => boolean;
	/** As in `Call`. */
	readonly recipientProblem: (asset: Asset, to: string) => Promise<string | null> | null;
	readonly now: number;
	/** Keeps work of this call going when its client is gone. */
	readonly background: (work: Promise<unknown>) => void;
}

export interface Created {
	readonly order: OrderRow;
	/** Null on a replay: the token was shown once. */
	readonly token: string | null;
}
