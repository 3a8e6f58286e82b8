/** What wallets open and where transactions are shown: exact addresses, for every network. */
import { describe, expect, it } from 'vitest';
import { ASSET_IDS, type AssetId, assetOf, isNative } from '../../src/catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../../src/catalog/networks.ts';
import { explorerOf, whereToLook } from '../../src/chains/explorer.ts';
import { walletOf } from '../../src/pages/order/wallet.ts';

/** Of the examples of BIP 21, EIP-681, Solana Pay and Monero's wiki. */
const BITCOIN = '175tWpb8K1S7NmH4Zx6rewF9WQrv245W';
const ETHEREUM = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';
const SOLANA = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const MONERO = '46BeWrHpwXmHDpDEUmZBWZfoQpdc6HaERCNmx1pEYL2rAcuwufPN9rXHHtyUA4QVy66qeFQkn6sfK8aHYjA3jk3o1Bv16em';
const LITECOIN = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
const DASH = 'XpESxaUmonkq8RaLLp46Brx2K39ggQe226';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

describe('a payment as a URI', () => {
	it.each<[code: AssetId, amount: string, address: string, uri: string | null]>([
		['BTC', '20.3', BITCOIN, `bitcoin:${BITCOIN}?amount=20.3`],
		['LTC', '2', LITECOIN, `litecoin:${LITECOIN}?amount=2`],
		['DASH', '0.00000001', DASH, `dash:${DASH}?amount=0.00000001`],
		['XMR', '239.39014', MONERO, `monero:${MONERO}?tx_amount=239.39014`],
		['SOL', '1', SOLANA, `solana:${SOLANA}?amount=1`],
		[
			...(['USDCSOL', '0.01', SOLANA] as const),
			`solana:${SOLANA}?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`,
		],
		['TRX', '100.5', TRON, `tron:${TRON}?amount=100.5`],
		['USDTTRC20', '1', TRON, null],
		['ETH', '2.014', ETHEREUM, `ethereum:${ETHEREUM}@1?value=2014000000000000000`],
		['ETH', '0.000000000000000001', ETHEREUM, `ethereum:${ETHEREUM}@1?value=1`],
		['POL', '1', ETHEREUM, `ethereum:${ETHEREUM}@137?value=1000000000000000000`],
		['BNB', '1', ETHEREUM, `ethereum:${ETHEREUM}@56?value=1000000000000000000`],
		['AVAX', '1', ETHEREUM, `ethereum:${ETHEREUM}@43114?value=1000000000000000000`],
		['ETHARB', '1', ETHEREUM, `ethereum:${ETHEREUM}@42161?value=1000000000000000000`],
		['ETHOP', '1', ETHEREUM, `ethereum:${ETHEREUM}@10?value=1000000000000000000`],
		[
			...(['USDTERC20', '1.5', ETHEREUM] as const),
			`ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=${ETHEREUM}&uint256=1500000`,
		],
	])('of %s, %s to %s: %s', (code, amount, address, uri) => {
		expect(walletOf({ code, amount, address }).uri).toBe(uri);
	});

	it('is there for every asset but tokens on Tron, with the address and the whole amount', () => {
		for (const code of ASSET_IDS) {
			const { network, decimals, contract } = assetOf(code);
			const { family } = networkNamed(network);
			const address = family === 'evm' ? ETHEREUM : 'ADDRESS';
			const { uri, link, isLinkFirst } = walletOf({ code, amount: '12.345', address });
			const isToken = !isNative(assetOf(code));
			expect([code, uri === null]).toEqual([code, family === 'tron' && isToken]);
			const amount = family === 'evm' ? `12345${'0'.repeat(decimals - 3)}` : '12.345';
			const parts = [address, ...(isToken && family !== 'tron' ? [contract] : [])];
			if (uri !== null) for (const part of [...parts, amount]) expect(uri.split(/[:?@/&=]/)).toContain(part);
			// A wallet that does not know EIP-681 would pay the contract of an EVM token.
			expect([code, link]).toEqual([code, family === 'evm' && isToken ? null : uri]);
			expect([code, isLinkFirst]).toEqual([code, family === 'utxo' || family === 'monero']);
		}
	});
});

describe('a transaction in an explorer', () => {
	const PAGES: Readonly<Record<NetworkName, string>> = {
		Bitcoin: 'https://mempool.space/tx/TX',
		Litecoin: 'https://litecoinspace.org/tx/TX',
		Dash: 'https://blockchair.com/dash/transaction/TX',
		Ethereum: 'https://etherscan.io/tx/TX',
		Arbitrum: 'https://arbiscan.io/tx/TX',
		Optimism: 'https://optimistic.etherscan.io/tx/TX',
		Polygon: 'https://polygonscan.com/tx/TX',
		BSC: 'https://bscscan.com/tx/TX',
		Avalanche: 'https://snowtrace.io/tx/TX',
		Solana: 'https://solscan.io/tx/TX',
		Tron: 'https://tronscan.org/#/transaction/TX',
		Monero: 'https://xmrchain.net/tx/TX',
	};

	it.each(NETWORK_NAMES)('on %s has its page on a main chain alone', (network) => {
		const variable = network.toUpperCase();
		const on = (chain: string) => ({
			[`NODE_URL_${variable}`]: 'https://node.example',
			[`NODE_CHAIN_${variable}`]: chain,
		});
		expect(explorerOf(on('main'), { network, txId: 'TX' })).toBe(PAGES[network]);
		expect(explorerOf(on('regtest'), { network, txId: 'TX' })).toBeNull();
		expect(explorerOf({ SANDBOX: 'on' }, { network, txId: 'TX' })).toBeNull();
		expect(explorerOf(on('main'), { network, txId: null })).toBeNull();
		expect(explorerOf(on('main'), { network, txId: '"><a b' })).not.toMatch(/[" <>]/);
	});

	it('shows what an address was paid, but for Monero, where the wallet that paid does', () => {
		expect(whereToLook('Tron', 'T1')).toBe('look at T1 in an explorer (tronscan.org)');
		expect(whereToLook('Monero', '8A')).toMatch(
			/view-only wallet for get_transfers .*get_tx_key of each, and check_tx_key with 8A/,
		);
	});
});
