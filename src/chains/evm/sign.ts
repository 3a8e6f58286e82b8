/** The only place where this family signs a transaction. For the signer only. */
import { hex } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import { transactionIdOf } from './broadcast.ts';
import type { Transfer } from './erc20.ts';
import type { EvmKey } from './keys.ts';
import type { EvmParams } from './params.ts';

export interface Terms {
	readonly nonce: number;
	readonly gas: bigint;
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
}

export async function signTransfer(
	{ chainId }: EvmParams,
	{ privateKey }: EvmKey,
	{ to, value, data }: Transfer,
	{ nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: Terms,
): Promise<{ readonly raw: string; readonly txId: string }> {
	const raw = await privateKeyToAccount(`0x${hex.encode(privateKey)}`).signTransaction({
		...{ type: 'eip1559', chainId, nonce, to: `0x${to.slice(2)}`, value, data: `0x${data.slice(2)}` },
		...{ gas, maxFeePerGas, maxPriorityFeePerGas },
	});
	return { raw, txId: transactionIdOf(raw) };
}
