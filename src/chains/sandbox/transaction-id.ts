/** Transaction ids on the sandbox: invented, in the format of the network that they stand in for. */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import type { Family } from '../../catalog/networks.ts';

const TRANSACTION_ID_PREFIX: Record<Family, string> = { utxo: '', evm: '0x' };

/** A transaction id in the family's format, from any text. */
export const sandboxTxId = (family: Family, text: string): string =>
	TRANSACTION_ID_PREFIX[family] + hex.encode(sha256(new TextEncoder().encode(text)));
