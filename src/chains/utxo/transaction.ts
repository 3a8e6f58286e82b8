/** Builds and signs our transactions. Pure: RFC 6979 signatures need no randomness. */
import { Transaction } from '@scure/btc-signer/transaction.js';
import type { UtxoKey } from './keys.ts';

/**
 * Sequence numbers. The first allows a later fee bump with the same inputs (BIP125). The second only keeps the lock
 * time effective.
 */
const REPLACEABLE = 0xfffffffd;
const NOT_REPLACEABLE = 0xfffffffe;

export interface SigningCoin {
	readonly txId: string;
	readonly vout: number;
	readonly amount: bigint;
	readonly key: UtxoKey;
}

interface Output {
	readonly script: Uint8Array;
	readonly amount: bigint;
}

/** Spends all of `coins`. What the outputs do not take is the fee. */
export function signedTransaction(
	coins: readonly SigningCoin[],
	outputs: readonly Output[],
	replaceable: boolean,
): { raw: string; txId: string } {
	// A legacy signature does not cover amounts. The caller has checked them against the proven earlier transactions.
	const transaction = new Transaction({ allowLegacyWitnessUtxo: true });
	const sequence = replaceable ? REPLACEABLE : NOT_REPLACEABLE;
	for (const { txId, vout, amount, key } of coins) {
		const witnessUtxo = { script: key.script, amount };
		transaction.addInput({ txid: txId, index: vout, sequence, witnessUtxo });
	}
	for (const output of outputs) transaction.addOutput(output);
	for (const [index, { key }] of coins.entries()) transaction.signIdx(key.privateKey, index);
	transaction.finalize();
	return { raw: transaction.hex, txId: transaction.id };
}
