/** The claims of an order's rows that the signer may know better: asked before such rows are sealed again. Pure. */
import type { NetworkName } from '../catalog/networks.ts';

export interface OrderClaim {
	readonly id: string;
	/** The deposit's network. */
	readonly network: NetworkName;
	/** The pay-in address, and the derivation index that it is said to have. */
	readonly address: string;
	readonly index: number;
	readonly toAddress: string;
}

const TEXTS = {
	'address-not-ours': 'the signer derives another pay-in address for it',
	'address-of-other-order': 'the signer has paid another order for this pay-in address',
	'paid-to-another': 'the signer has paid it to another recipient',
} as const;

export type Contradiction = keyof typeof TEXTS;

export const contradictionText = (kind: Contradiction): string => TEXTS[kind];
