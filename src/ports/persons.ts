/**
 * The signer's questions to persons: what moves the reserve is signed with a passkey that the signer's configuration names
 * (book: passkeys, "What is asked").
 */
import type { Asked, Move } from '../treasury/moves.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';

/** Public facts of a passkey, as the signer's configuration has them. */
export interface PasskeyName {
	readonly person: string;
	/** Where it signs: the console's, or that of a page on the person's own machine. Its host is the passkey's. */
	readonly origin: string;
	/** The credential's id, base64url. */
	readonly id: string;
}

export interface AskedPersons {
	readonly asked: Asked;
	/** How many persons have to sign: 1 or 2. */
	readonly persons: number;
	readonly passkeys: readonly PasskeyName[];
}

/** The answer of a browser, all base64url. */
export interface PasskeyAnswer {
	readonly id: string;
	readonly clientDataJSON: string;
	readonly authenticatorData: string;
	readonly signature: string;
}

export interface Confirmation {
	readonly asked: Asked;
	readonly answers: readonly PasskeyAnswer[];
}

/** For `doctor`. */
export interface PersonsState {
	readonly persons: number;
	readonly passkeys: number;
	/** US dollars above which two are asked, as the variable has it; null where one suffices. */
	readonly twoAboveUsd: string | null;
}

export interface PersonsSigner {
	/** The question to persons before these are done; null where the signer's configuration names no passkey. */
	askPersons(moves: readonly Move[]): Promise<AskedPersons | SignerRefusal | null>;
	/** Takes the answers: from then on the moves may be done. Returns who has signed, else why not. Each nonce counts once. */
	confirm(confirmation: Confirmation): Promise<readonly string[] | SignerRefusal>;
}
