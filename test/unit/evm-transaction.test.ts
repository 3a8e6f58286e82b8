/** What signs EVM transactions (EIP-1559), against another implementation: viem. */
import { hex } from '@scure/base';
import fc from 'fast-check';
import { parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { evmParams } from '../../src/chains/evm/params.ts';
import { signTransfer } from '../../src/chains/evm/sign.ts';
import { termsIn } from '../../src/chains/evm/transaction.ts';

const wei = fc.bigInt({ min: 0n, max: 2n ** 100n });
const bytes = (length: number) =>
	fc.uint8Array({ minLength: length, maxLength: length }).map((each) => hex.encode(each));

it.each(['Ethereum', 'BSC', 'Polygon'] as const)('%s: any transfer is signed to the same bytes', async (name) => {
	const params = evmParams(NETWORKS[name], 'main');
	const transfer = fc.record({
		to: bytes(20).map((text) => `0x${text}` as const),
		value: wei,
		data: fc.oneof(
			fc.constant('0x' as const),
			bytes(68).map((text) => `0x${text}` as const),
			bytes(300).map((text) => `0x${text}` as const),
		),
	});
	const terms = fc
		.record({ nonce: fc.nat(), gas: fc.bigInt({ min: 100_000n, max: 2n ** 40n }), tip: wei, more: wei })
		.map(({ nonce, gas, tip, more }) => ({ nonce, gas, maxPriorityFeePerGas: tip, maxFeePerGas: tip + more }));
	const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((each) => each.some((byte) => byte > 0));
	await fc.assert(
		fc.asyncProperty(key, transfer, terms, async (privateKey, each, price) => {
			// The highest keys are beyond the order of the curve.
			privateKey[0] = (privateKey[0] ?? 0) & 0x7f;
			const { raw } = signTransfer(params, { address: '', privateKey }, each, price);
			const account = privateKeyToAccount(`0x${hex.encode(privateKey)}`);
			expect(raw).toBe(await account.signTransaction({ type: 'eip1559', chainId: params.chainId, ...each, ...price }));
			expect(parseTransaction(raw as `0x02${string}`).to).toBe(each.to);
			// What a new version of it is made from.
			expect(termsIn(raw)).toEqual(price);
		}),
		{ numRuns: 100 },
	);
});
