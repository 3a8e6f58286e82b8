/**
 * The CAIP-19 name of an asset: the id of its chain (CAIP-2), then the asset's own. Bitcoin's family, Monero and Solana name
 * a chain by the first 32 characters of its genesis block; Tron by its last eight digits, as wallets write it. A coin is its
 * SLIP-0044 number. Pure.
 */
import { type Asset, allAssets, type Coin } from './assets.ts';
import { networkNamed } from './networks.ts';

const REFERENCE_LENGTH = 32;
const MONERO_GENESIS = '418015bb9ae982a1975da7d79277c270';

/** SLIP-0044; Avalanche's is that of the C-Chain. Tokens have none. */
const COIN_TYPES: Readonly<Partial<Record<Coin, number>>> = {
	BTC: 0,
	LTC: 2,
	DASH: 5,
	ETH: 60,
	XMR: 128,
	TRX: 195,
	SOL: 501,
	BNB: 714,
	POL: 966,
	AVAX: 9005,
};

/** EIP-155; null where the network has none. */
export function chainIdOf({ network }: Asset): number | null {
	const row = networkNamed(network);
	return row.family === 'evm' ? row.params.chainId : null;
}

/** CAIP-2. */
function chainOf({ network }: Asset): string {
	const row = networkNamed(network);
	switch (row.family) {
		case 'utxo':
			return `bip122:${row.params.genesis.slice(0, REFERENCE_LENGTH)}`;
		case 'evm':
			return `eip155:${row.params.chainId}`;
		case 'solana':
			return `solana:${row.params.genesis.slice(0, REFERENCE_LENGTH)}`;
		case 'tron':
			return `tron:0x${row.params.genesis.slice(-8)}`;
		case 'monero':
			return `monero:${MONERO_GENESIS}`;
		default:
			return row satisfies never;
	}
}

const TOKEN_KINDS = { evm: 'erc20', solana: 'token', tron: 'trc20', utxo: '', monero: '' } as const;

/** CAIP-19. */
export function chainNameOf(asset: Asset): string {
	const kind = TOKEN_KINDS[networkNamed(asset.network).family];
	const own = asset.contract === undefined ? `slip44:${COIN_TYPES[asset.coin]}` : `${kind}:${asset.contract}`;
	return `${chainOf(asset)}/${own}`;
}

/** Addresses of EVM chains are the same in either case, whatever their checksum; all else is written as it is. */
const plain = (name: string): string => (name.startsWith('eip155:') ? name.toLowerCase() : name);

/** The asset that a caller names by its chain; null where none is meant. */
export function assetByChainName(text: string): Asset | null {
	if (!text.includes(':')) return null;
	return allAssets().find((asset) => plain(chainNameOf(asset)) === plain(text)) ?? null;
}
