/** The next nonce to sign, and the nonce of a signed transaction. */
import { serializeTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { SigningBlocked } from '../../src/chains/errors.ts';
import { nonceOf } from '../../src/chains/evm/next.ts';
import { firstNonce, highestSigned, nonceAfter } from '../../src/chains/evm/nonces.ts';
import { signing } from '../support/ethereum.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;

it.each([
	['the chain has confirmed all', 7, 8, 8],
	['the chain has confirmed some', 7, 3, 8],
	['a node that lags has confirmed none', 7, 0, 8],
	['the chain has confirmed one more than was signed', 7, 9, null],
	['a node answers an absurd number', 7, 10_000, null],
])('the next nonce is one above the last signed one, or none: %s', (_, signed, counted, next) => {
	if (next === null) expect(() => nonceAfter(ADDRESS, signed, counted)).toThrow(SigningBlocked);
	else expect(nonceAfter(ADDRESS, signed, counted)).toBe(next);
});

it.each([
	['all nodes agree', [5, 5, 5, 5], 5],
	['one node says that nothing was sent', [0, 0], 0],
	['one node answers another number', [5, 5, 6, 6], null],
	['one node answers another number the second time', [10_000, 0], null],
	['it is more than any wallet has sent', [1_000_001, 1_000_001], null],
	['no node answers', [], null],
])('the first nonce is what the nodes count, where %s', (_, counts, first) => {
	if (first === null) expect(() => firstNonce(ADDRESS, counts)).toThrow(SigningBlocked);
	else expect(firstNonce(ADDRESS, counts)).toBe(first);
});

it('the highest signed nonce is that of the same wallet, whatever others have signed', () => {
	const state = signing('nonce:3', 'nonce:11', 'nonce:7', `${ADDRESS}:nonce:99`, `${'a1'.repeat(32)}:0`);
	expect(highestSigned(state, null)).toBe(11);
	expect(highestSigned(state, ADDRESS.toUpperCase().replace('0X', '0x'))).toBe(99);
	expect(highestSigned(signing(`${ADDRESS}:nonce:99`), null)).toBeNull();
});

it.each([0, 1, 127, 128, 255, 256, 65_536, 1_000_000])(
	'nonce %d is read from the bytes that were signed',
	async (nonce) => {
		const account = privateKeyToAccount(`0x${'42'.repeat(32)}`);
		const data = nonce % 2 === 0 ? '0x' : (`0x${'ab'.repeat(300)}` as const);
		for (const chainId of [1, 137, 42_161]) {
			const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
			const to = `0x${'22'.repeat(20)}` as const;
			const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, value: 1n, data, ...fees });
			expect(nonceOf(raw)).toBe(nonce);
		}
	},
);

it('bytes that are no transaction have no nonce', async () => {
	const account = privateKeyToAccount(`0x${'42'.repeat(32)}`);
	const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
	const to = `0x${'22'.repeat(20)}` as const;
	const signed = await account.signTransaction({ type: 'eip1559', chainId: 1, nonce: 7, to, value: 1n, ...fees });
	const unsigned = serializeTransaction({ type: 'eip1559', chainId: 1, nonce: 7, to, value: 1n, ...fees });
	// One byte more, one less, without a signature, and a nonce of two bytes whose first is zero.
	const nearly = [`${signed}00`, signed.slice(0, -2), unsigned, '0x02ce01820007018080808080c0808080'];
	expect(nonceOf('0x02cc0107018080808080c0808080')).toBe(7);
	for (const raw of ['0x', '0x00', '0x02', '0x0280', `0x${'ff'.repeat(40)}`, ...nearly])
		expect(() => nonceOf(raw)).toThrow('no transaction');
});
