/** What the partners were told while the service was struck: the run ends with a comparison of this and the service. */
import type { CreatedOrder } from '../support/orders.ts';
import type { Credentials } from '../support/partner.ts';

export interface Member {
	/** As acknowledged last. */
	credentials: Credentials;
	/** The secrets that an acknowledged rotation ended. */
	readonly endedSecrets: string[];
	readonly codes: string[];
	rotations: number;
}

/** `maybe`: the answer was lost. */
export type Done = 'no' | 'maybe' | 'yes';

export interface KnownOrder {
	readonly member: Member;
	readonly idempotencyKey: string;
	readonly body: Record<string, unknown>;
	/** As `create` answered. */
	readonly created: CreatedOrder;
	/** Did the whole amount come, or another one? */
	deposit: 'whole' | 'other' | null;
	deposited: Done;
	refundAsked: Done;
}

export interface SpentNonce {
	readonly member: Member;
	readonly body: Record<string, unknown>;
	readonly nonce: string;
	readonly timestamp: string;
}

export class Journal {
	readonly orders: KnownOrder[] = [];
	readonly nonces: SpentNonce[] = [];
	/** Codes of the answers, by call. */
	readonly answers = new Map<string, number>();
	/** What must never be, with its circumstances. */
	readonly wrong: Record<'create' | 'answer' | 'nonce', string[]> = { create: [], answer: [], nonce: [] };
	/** Answers that never came. */
	lost = 0;
	/** While nothing can be written, code 99 is the right answer. */
	mayFail = false;

	count(call: string, code: number): void {
		const key = `${call} ${code}`;
		this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
	}
}
