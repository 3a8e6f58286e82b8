/** Changes the bytes of a draft, or of what two judges have signed, as the owner of one judge could. */
import { hex } from '@scure/base';
import { RawTx, Script } from '@scure/btc-signer/script.js';

export interface DraftInput {
	txid: Uint8Array;
	index: number;
	finalScriptSig: Uint8Array;
	sequence: number;
}

export interface DraftOutput {
	amount: bigint;
	script: Uint8Array;
}

export interface Bytes {
	version: number;
	segwitFlag: boolean | undefined;
	lockTime: number;
	inputs: DraftInput[];
	outputs: DraftOutput[];
	witnesses?: Uint8Array[][] | undefined;
}

const NONE = new Uint8Array();

const decoded = (raw: string): Bytes => RawTx.decode(hex.decode(raw)) as Bytes;
const encoded = (bytes: Bytes): string => hex.encode(RawTx.encode(bytes as never));

export function changedDraft(raw: string, change: (bytes: Bytes) => unknown): string {
	const bytes = decoded(raw);
	change(bytes);
	return encoded(bytes);
}

/** A coin, with the script of two keys that spends it. */
export interface DraftCoin extends Pick<DraftInput, 'txid' | 'index'> {
	readonly lock: Uint8Array;
}

/** As a draft would spend it. */
export function addCoin({ inputs, witnesses }: Bytes, { lock, ...coin }: DraftCoin): void {
	const shown = [NONE, NONE, NONE, lock];
	witnesses?.push(shown);
	const finalScriptSig = witnesses ? NONE : Script.encode(shown);
	inputs.push({ ...(inputs[0] as DraftInput), ...coin, finalScriptSig });
}

/** Instead of all others. */
export function takeOnly(bytes: Bytes, coin: DraftCoin): void {
	addCoin(bytes, coin);
	bytes.inputs = bytes.inputs.slice(-1);
	bytes.witnesses = bytes.witnesses?.slice(-1);
}

/** The first input without one of its two signatures, or with the other one in its place. */
export const withoutSignature = (raw: string, at: 0 | 1, instead: 'nothing' | 'the other one'): string =>
	changedDraft(raw, ({ inputs: [input], witnesses: [witness] = [] }) => {
		const items = witness ?? Script.decode(input?.finalScriptSig ?? new Uint8Array());
		items[1 + at] = instead === 'nothing' ? new Uint8Array() : (items[2 - at] as Uint8Array);
		if (!witness && input) input.finalScriptSig = Script.encode(items);
	});
