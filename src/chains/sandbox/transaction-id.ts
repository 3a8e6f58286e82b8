/** Transaction ids on the sandbox: invented, in the format of the network that the sandbox replaces. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';
import type { Family } from '../../catalog/networks.ts';

const hash = (bytes: Uint8Array): string => hex.encode(sha256(bytes));

const TRANSACTION_ID: Record<Family, (bytes: Uint8Array) => string> = {
	utxo: hash,
	evm: (bytes) => `0x${hash(bytes)}`,
	// Solana names a transaction by its first signature, of 64 bytes.
	solana: (bytes) => base58.encode(Uint8Array.of(...sha256(bytes), ...sha256(sha256(bytes)))),
	tron: hash,
	monero: hash,
};

/** A transaction id in the family's format, derived from any text. */
export const sandboxTxId = (family: Family, text: string): string =>
	TRANSACTION_ID[family](new TextEncoder().encode(text));
