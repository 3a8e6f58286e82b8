/**
 * The payment as a URI, where wallets know one: BIP 21 for Bitcoin, Litecoin and Dash, EIP-681, Solana Pay, Monero's and
 * Tron's own. Pure.
 */
import { toBaseUnits } from '../money/units.ts';
import { type Asset, isNative } from './assets.ts';
import { networkNamed } from './networks.ts';

/**
 * With `{address}`, and `{amount}` in coins or `{units}` in the asset's smallest units. Null where wallets know none.
 */
export function paymentTemplate(asset: Asset): string | null {
	const network = networkNamed(asset.network);
	switch (network.family) {
		case 'utxo':
			return `${network.name.toLowerCase()}:{address}?amount={amount}`;
		case 'monero':
			return 'monero:{address}?tx_amount={amount}';
		case 'solana':
			return `solana:{address}?amount={amount}${isNative(asset) ? '' : `&spl-token=${asset.contract}`}`;
		case 'tron':
			return isNative(asset) ? 'tron:{address}?amount={amount}' : null;
		case 'evm': {
			const { chainId } = network.params;
			return isNative(asset)
				? `ethereum:{address}@${chainId}?value={units}`
				: `ethereum:${asset.contract}@${chainId}/transfer?address={address}&uint256={units}`;
		}
		default:
			return network satisfies never;
	}
}

/** `amount`: coins, plain decimal. */
export function paymentLink(asset: Asset, amount: string, address: string): string | null {
	const parts: Readonly<Record<string, string>> = {
		address: encodeURIComponent(address),
		amount,
		units: String(toBaseUnits(amount, asset.decimals)),
	};
	return paymentTemplate(asset)?.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '') ?? null;
}
