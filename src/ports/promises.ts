/** Signed promises as they leave the signer: they are published as they are (book: verify). */
import type { NetworkName } from '../catalog/networks.ts';
import type { OrderTerms } from '../orders/seal.ts';
import type { OrderRow } from '../orders/table.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';

/** An order as the signer is told of it: it believes only what is sealed. */
export type PromisedOrder = OrderTerms & Pick<OrderRow, 'createdAt' | 'seal'>;

export interface SignedStatement {
	/** The id of the key. */
	readonly key: string;
	/** The signed text, in UTF-8. */
	readonly statement: string;
	/** Ed25519, base64. */
	readonly signature: string;
}

/** A statement as its text has it, after `JSON.parse`. */
export interface PromiseStatement {
	readonly type: 'partner-exchange/promise/1';
	/** Unix seconds when it was signed. */
	readonly at: number;
	readonly id: string;
	readonly from: { readonly address: string; readonly code: string; readonly network: NetworkName };
	readonly to: { readonly address: string; readonly code: string; readonly network: NetworkName };
	readonly back: { readonly address: string };
	/** Absent where the order has none: the least that it brings for this amount, else its deposit goes back. */
	readonly floor?: { readonly fromAmount: string; readonly minToAmount: string };
	/** Basis points of the rate: the service's margin and the partner's. */
	readonly marginBps: number;
	/** The payments that the signer has signed for the order's deposits until then. */
	readonly payments: readonly PromisedPayment[];
}

export interface PromisedPayment {
	readonly kind: 'payout' | 'refund';
	/** Both null where a person recorded a payment that an earlier journal had signed. */
	readonly code: string | null;
	readonly amount: string | null;
	readonly txId: string;
	readonly deposits: readonly { readonly amount: string; readonly txId: string }[];
}

/** Says that a key follows another one; signed with both. */
interface KeyLink {
	readonly statement: string;
	readonly byOlder: string;
	readonly byNewer: string;
}

export interface PromiseKey {
	readonly id: string;
	/** 32 bytes, base64. */
	readonly publicKey: string;
	readonly pem: string;
	/** Null for the first. */
	readonly link: KeyLink | null;
}

/** The calls to the signer. */
export interface PromisingSigner {
	/** The terms of an order and what was paid for it, signed. From the first time on its address belongs to these terms alone. */
	promise(order: PromisedOrder): Promise<SignedStatement | SignerRefusal>;
	/** The keys that promises are signed with. */
	promiseKeys(): Promise<PublishedKeys>;
}

/** `/.well-known/partner-exchange-keys.json`. */
export interface PublishedKeys {
	readonly type: 'partner-exchange/keys/1';
	/** The oldest first. */
	readonly keys: readonly PromiseKey[];
}
