/**
 * A signed transaction as it is stored: its last valid block height and its bytes. Also reads its id from them. Pure.
 */
import { base58, base64 } from '@scure/base';

export interface Raw {
	/** The first signature. */
	readonly txId: string;
	/** The transaction in base64. */
	readonly wire: string;
	/** The last block height at which the transaction can be included, so that "too late" is a fact and not a guess. */
	readonly lastValidHeight: number;
}

const RAW = /^(\d{1,13}):([A-Za-z0-9+/]+=*)$/;
const SIGNATURE_BYTES = 64;

export const rawOf = (wire: Uint8Array, lastValidHeight: number): string => `${lastValidHeight}:${base64.encode(wire)}`;

/** Null for text that `rawOf` did not make. */
export function readRaw(raw: string): Raw | null {
	const [, height, wire] = RAW.exec(raw) ?? [];
	const signature = wire ? bytesOf(wire).slice(1, 1 + SIGNATURE_BYTES) : new Uint8Array();
	if (!height || !wire || signature.length < SIGNATURE_BYTES) return null;
	return { txId: base58.encode(signature), wire, lastValidHeight: Number(height) };
}

function bytesOf(wire: string): Uint8Array {
	try {
		return base64.decode(wire);
	} catch {
		return new Uint8Array();
	}
}
