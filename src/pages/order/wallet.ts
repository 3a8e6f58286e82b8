/**
 * The texts that wallets open: the payment as a URI where wallets know one, and what the QR images hold. Pure.
 */
import { type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import { networkNamed } from '../../catalog/networks.ts';
import { paymentLink } from '../../catalog/payment-link.ts';

interface Payment {
	readonly code: string;
	readonly amount: string;
	readonly address: string;
}

export interface Wallet {
	/** Null where wallets know none. */
	readonly uri: string | null;
	/** The text of the QR image that has the amount too; null where only the address is safe in one. */
	readonly link: string | null;
	/** Shown first: every wallet that reads the scheme reads the amount. */
	readonly isLinkFirst: boolean;
}

/**
 * No image has the link of an EVM token: to a wallet that does not know EIP-681, it would name the token's contract as
 * the recipient.
 */
export function walletOf({ code, amount, address }: Payment): Wallet {
	const asset = assetOf(code as AssetId);
	const uri = paymentLink(asset, amount, address);
	const { family } = networkNamed(asset.network);
	const link = family === 'evm' && !isNative(asset) ? null : uri;
	return { uri, link, isLinkFirst: family === 'utxo' || family === 'monero' };
}
