/**
 * The texts that two judges send each other: a draft is a transaction without signatures and the commitment of its maker, and the answer adds
 * the other judge's commitment and share. No nonce is in either. Pure.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { base58, base64 } from '@scure/base';
import { type Message, unsignedWire } from './message.ts';

export interface Answer {
	readonly commitment: string;
	readonly share: string;
	/** The finalized slot of the co-signer's node when it signed: no block up to there holds the transaction. */
	readonly since: number;
	/** No block above this height can hold it. */
	readonly lastHeight: number;
}

export interface DraftText {
	readonly lastValidHeight: number;
	readonly message: Uint8Array;
	readonly commitment: string;
	/** Null of a draft that was not answered. */
	readonly answer: Answer | null;
}

const POINTS = '([0-9a-f]{128})';
const DRAFT = new RegExp(
	`^(\\d{1,13}):([A-Za-z0-9+/]+=*):${POINTS}(?::${POINTS}:([0-9a-f]{64}):(\\d{1,13}):(\\d{1,13}))?$`,
);
const SIGNATURE_BYTES = 64;

export const draftText = (message: Message, lastValidHeight: number, commitment: string): string =>
	`${lastValidHeight}:${base64.encode(unsignedWire(message))}:${commitment}`;

export const answerText = (draft: string, { commitment, share, since, lastHeight }: Answer): string =>
	`${draft}:${commitment}:${share}:${since}:${lastHeight}`;

export const isAnswerTo = (draft: string, answer: string): boolean => answer.startsWith(`${draft}:`);

/** Null for text that is neither. */
export function readDraft(text: string): DraftText | null {
	const [, height, wire, commitment, theirs, share, since, lastHeight] = DRAFT.exec(text) ?? [];
	const message = wire === undefined ? null : messageIn(wire);
	if (!message || commitment === undefined) return null;
	const answer =
		theirs === undefined || share === undefined
			? null
			: { commitment: theirs, share, since: Number(since), lastHeight: Number(lastHeight) };
	return { lastValidHeight: Number(height), message, commitment, answer };
}

/** The signed bytes of a transaction in base64; null where it is none. No transaction of ours has more than 127 signatures. */
export function messageIn(wire: string): Uint8Array | null {
	try {
		const bytes = base64.decode(wire);
		return bytes.slice(1 + (bytes[0] ?? 0) * SIGNATURE_BYTES);
	} catch {
		return null;
	}
}

/** Stands for the transaction's id, which is a signature that does not exist yet. It has the form of one, and no node knows it. */
export const messageId = (message: Uint8Array): string => base58.encode(sha512(message));
