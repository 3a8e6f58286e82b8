/**
 * The texts that wallets open: the payment as a URI where wallets know one (BIP 21 for Bitcoin, Litecoin and Dash,
 * EIP-681, Solana Pay, Monero's and Tron's own), and what the QR images hold. Pure.
 */
import { type Asset, type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import { networkNamed } from '../../catalog/networks.ts';
import { toBaseUnits } from '../../money/units.ts';

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
	const uri = uriOf(asset, amount, address);
	const { family } = networkNamed(asset.network);
	const link = family === 'evm' && !isNative(asset) ? null : uri;
	return { uri, link, isLinkFirst: family === 'utxo' || family === 'monero' };
}

function uriOf(asset: Asset, amount: string, address: string): string | null {
	const network = networkNamed(asset.network);
	const to = encodeURIComponent(address);
	switch (network.family) {
		case 'utxo':
			return `${network.name.toLowerCase()}:${to}?amount=${amount}`;
		case 'monero':
			return `monero:${to}?tx_amount=${amount}`;
		case 'solana':
			return `solana:${to}?amount=${amount}${isNative(asset) ? '' : `&spl-token=${asset.contract}`}`;
		case 'tron':
			return isNative(asset) ? `tron:${to}?amount=${amount}` : null;
		case 'evm': {
			const units = toBaseUnits(amount, asset.decimals);
			const { chainId } = network.params;
			return isNative(asset)
				? `ethereum:${to}@${chainId}?value=${units}`
				: `ethereum:${asset.contract}@${chainId}/transfer?address=${to}&uint256=${units}`;
		}
		default:
			return network satisfies never;
	}
}
