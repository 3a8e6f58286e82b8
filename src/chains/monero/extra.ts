/**
 * The keys of a transaction that its payer put into `extra`. Anybody may write anything there: what can be read counts, up
 * to where it cannot, as Monero's own wallet does it. Pure.
 */
import { Reader } from './reader.ts';

/** Tags of Monero's tx_extra.h. */
const [PADDING, KEY, NONCE, MERGE_MINING, MORE_KEYS, MINERGATE] = [0, 1, 2, 3, 4, 0xde];
const KEY_BYTES = 32;
/** Each costs a multiplication. What monerod relays has room for this many. */
const MAX_KEYS = 32;

export interface TransactionKeys {
	/** Each may be the one of any output. */
	readonly keys: readonly Uint8Array[];
	/** One for each output, in order; empty where no recipient is a subaddress beside others. */
	readonly more: readonly Uint8Array[];
}

/** `outputs`: how many the transaction has. */
export function transactionKeys(extra: Uint8Array, outputs: number): TransactionKeys {
	const reader = new Reader(extra);
	const keys: Uint8Array[] = [];
	let more: Uint8Array[] = [];
	try {
		while (!reader.isAtEnd) {
			const tag = reader.byte();
			if (tag === KEY) keys.push(reader.take(KEY_BYTES));
			else if (tag === NONCE || tag === MERGE_MINING || tag === MINERGATE) reader.take(reader.count());
			else if (tag === MORE_KEYS) more = Array.from({ length: reader.count() }, () => reader.take(KEY_BYTES));
			else if (tag !== PADDING) break;
		}
	} catch {
		// The rest cannot be read.
	}
	return { keys: keys.slice(0, MAX_KEYS), more: more.slice(0, outputs) };
}
