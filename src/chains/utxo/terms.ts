/** The amount and the scripts of a payment. */
import { nativeAsset } from '../../catalog/assets.ts';
import { PaymentImpossible } from '../errors.ts';
import type { Payment } from '../signing-port.ts';
import { scriptOf } from './address.ts';
import type { Wallet } from './own-coins.ts';

export interface Terms {
	/** Base units. */
	readonly amount: bigint;
	readonly recipientScript: Uint8Array;
	readonly changeScript: Uint8Array;
}

/** @throws PaymentImpossible */
export function termsOf({ watching: { network, params }, keys }: Wallet, payment: Payment): Terms {
	const recipientScript = scriptOf(payment.to, params);
	if (payment.asset !== nativeAsset(network.name))
		throw new PaymentImpossible(`${payment.asset} is not on ${network.name}`);
	if (!recipientScript) throw new PaymentImpossible(`not an address of ${network.name}: ${payment.to}`);
	if (payment.amount < params.dust) throw new PaymentImpossible(`${payment.amount} base units are dust`);
	return { amount: payment.amount, recipientScript, changeScript: keys.hot.script };
}
