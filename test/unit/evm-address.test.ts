/** EVM addresses, keys and transaction bytes against published vectors (EIP-55, BIP44, EIP-155). */
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { checksumAddress, isEvmAddress } from '../../src/chains/evm/address.ts';
import { transactionIdOf } from '../../src/chains/evm/broadcast.ts';
import { hotAddress, hotKey, payInAddress, payInKey } from '../../src/chains/evm/keys.ts';
import { evmParams } from '../../src/chains/evm/params.ts';

/** The test cases of EIP-55. */
const EIP55 = [
	'0x52908400098527886E0F7030069857D2E4169EE7',
	'0x8617E340B3D01FA5F11F306F4090FD50E238070D',
	'0xde709f2102306220921060314715629080e2fb77',
	'0x27b1fdb04752bbc536007a920d24acb045561c26',
	'0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
	'0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
	'0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
	'0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];
const [MIXED] = EIP55.slice(4) as [string];
const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const OTHER_SEED = mnemonicToSeedSync('test test test test test test test test test test test junk');

describe('addresses of the EVM networks', () => {
	it.each(EIP55)('%s has the checksum that EIP-55 publishes', (address) => {
		expect(checksumAddress(hex.decode(address.slice(2).toLowerCase()))).toBe(address);
		expect(isEvmAddress(address)).toBe(true);
	});

	it('are accepted in one case, which carries no checksum', () => {
		expect(isEvmAddress(MIXED.toLowerCase())).toBe(true);
		expect(isEvmAddress(`0x${MIXED.slice(2).toUpperCase()}`)).toBe(true);
	});

	it('are refused when one letter has the wrong case, wherever it is', () => {
		const letters = [...MIXED].flatMap((letter, at) => (at > 1 && /[a-f]/i.test(letter) ? at : []));
		for (const at of letters) {
			const letter = MIXED.charAt(at);
			const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
			expect(isEvmAddress(MIXED.slice(0, at) + flipped + MIXED.slice(at + 1))).toBe(false);
		}
	});

	it.each([
		['nothing', ''],
		['no prefix', MIXED.slice(2)],
		['a prefix in capitals', `0X${MIXED.slice(2)}`],
		['a digit too few', MIXED.slice(0, -1)],
		['a digit too many', `${MIXED}0`],
		['a letter that is no hex digit', MIXED.replace('5', 'g')],
		['a space at the end', `${MIXED} `],
		['a line break at the end', `${MIXED}\n`],
		['the zero address', `0x${'0'.repeat(40)}`],
		['a name of ENS', 'vitalik.eth'],
		['an address of Tron', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
		['an address of Bitcoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
		['32 bytes', `0x${'1'.repeat(64)}`],
	])('are refused: %s', (_why, text) => {
		expect(isEvmAddress(text)).toBe(false);
	});
});

describe('keys of the EVM networks', () => {
	it('follow BIP44 with the coin type of Ethereum', () => {
		expect(payInAddress(SEED, 0)).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
		expect(payInAddress(OTHER_SEED, 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
		expect(payInAddress(OTHER_SEED, 1)).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
	});

	it('are keys of their addresses', () => {
		for (const key of [payInKey(SEED, 0), payInKey(SEED, 2_147_483_647), hotKey(SEED)])
			expect(privateKeyToAccount(`0x${hex.encode(key.privateKey)}`).address).toBe(key.address);
	});

	it('differ between deposits and the hot wallet, and between indexes', () => {
		const addresses = [hotAddress(SEED), ...Array.from({ length: 50 }, (_, index) => payInAddress(SEED, index))];
		expect(new Set(addresses).size).toBe(51);
		expect(addresses.every(isEvmAddress)).toBe(true);
	});

	it.each([-1, 0.5, 2_147_483_648, Number.NaN])('are refused at index %d', (index) => {
		expect(() => payInAddress(SEED, index)).toThrow(RangeError);
	});
});

describe('transactions of the EVM networks', () => {
	it('are signed as the example of EIP-155 is', async () => {
		const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
		const raw = await account.signTransaction({
			type: 'legacy',
			chainId: 1,
			nonce: 9,
			gasPrice: 20n * 10n ** 9n,
			gas: 21_000n,
			to: '0x3535353535353535353535353535353535353535',
			value: 10n ** 18n,
		});
		expect(raw).toBe(
			'0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a0' +
				'28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276' +
				'a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
		);
		expect(transactionIdOf(raw)).toBe('0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788');
	});

	it('name the chain of their network, and no two networks share one', () => {
		const networks = Object.values(NETWORKS).filter((network) => network.family === 'evm');
		const rows = networks.map((network) => [network.name, evmParams(network, 'main').chainId]);
		expect(Object.fromEntries(rows)).toEqual({
			Ethereum: 1,
			BSC: 56,
			Polygon: 137,
			Arbitrum: 42161,
			Optimism: 10,
			Avalanche: 43114,
		});
		for (const network of networks) {
			const { minTip, maxTip, minFeePerGas, maxFeePerGas } = evmParams(network, 'main');
			expect(minTip <= maxTip && minTip <= minFeePerGas && maxTip <= maxFeePerGas).toBe(true);
			expect(minFeePerGas < maxFeePerGas).toBe(true);
		}
	});
});
