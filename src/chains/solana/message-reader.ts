/**
 * Reads from a draft's message what its maker was free to choose. Only that: the reader makes the message again, and compares
 * the bytes. Pure.
 */
import { base58 } from '@scure/base';

export interface Chosen {
	readonly blockhash: string;
	/** Units that the transaction may use. */
	readonly units: number;
	/** Micro-lamports for each unit. */
	readonly price: bigint;
	/** The data of the instructions after the compute budget. */
	readonly datas: readonly Uint8Array[];
}

const HEADER_BYTES = 3;
const KEY_BYTES = 32;
/** In these two a number of that size follows the instruction's own number. */
const BUDGET_INSTRUCTIONS = 2;

/** Null for bytes that no message of ours has. Each length of ours takes one byte. */
export function chosenIn(message: Uint8Array): Chosen | null {
	try {
		const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
		let at = HEADER_BYTES + 1 + view.getUint8(HEADER_BYTES) * KEY_BYTES;
		const blockhash = base58.encode(message.slice(at, at + KEY_BYTES));
		at += KEY_BYTES;
		const datas: { readonly from: number; readonly bytes: Uint8Array }[] = [];
		for (let left = view.getUint8(at++); left > 0; left--) {
			at += 1;
			at += 1 + view.getUint8(at);
			const length = view.getUint8(at++);
			datas.push({ from: at, bytes: message.slice(at, at + length) });
			at += length;
		}
		const [units, price] = datas;
		if (!units || !price) return null;
		return {
			blockhash,
			units: view.getUint32(units.from + 1, true),
			price: view.getBigUint64(price.from + 1, true),
			datas: datas.slice(BUDGET_INSTRUCTIONS).map(({ bytes }) => bytes),
		};
	} catch (error) {
		// Bytes beyond the end.
		if (error instanceof RangeError) return null;
		throw error;
	}
}
