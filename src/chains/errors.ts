/** The errors of chains and signers. Callers decide by the class and its flags, never by the text. Pure. */

/** Characters of a node's message that are kept for the log and the operator. */
const MAX_REASON_CHARACTERS = 500;

/**
 * A transient error: the node is down, slow or sends an invalid answer. Nothing has changed on our side. The caller
 * tries again later.
 */
export class ChainUnavailable extends Error {
	override readonly name = 'ChainUnavailable';

	/** The answer exceeds the size limit. The same call would get the same answer again. */
	readonly tooLarge: boolean;

	constructor(reason: string, { tooLarge = false } = {}) {
		super(reason.slice(0, MAX_REASON_CHARACTERS));
		this.tooLarge = tooLarge;
	}
}

/** For a part that may be left out until the next poll. */
export function unlessUnavailable(error: unknown): null {
	if (error instanceof ChainUnavailable) return null;
	throw error;
}

/** A permanent error: the network refuses this transaction for good. The operator must look at it. */
export class BroadcastRejected extends Error {
	override readonly name = 'BroadcastRejected';
	/** Another transaction used its coins or its nonce. It can never confirm, so nothing has to wait for it. */
	readonly taken: boolean;
	/** It expired before a block included it: it can never confirm. */
	readonly expired: boolean;
	/** It pays less than the node takes now. A version with a higher fee may be taken. */
	readonly underpriced: boolean;
	/** No block takes these bytes: its coins are spent, or a reorganisation moved or removed them. It may yet change. */
	readonly unminable: boolean;

	constructor(message: string, { taken = false, expired = false, underpriced = false, unminable = false } = {}) {
		super(message);
		this.taken = taken;
		this.expired = expired;
		this.underpriced = underpriced;
		this.unminable = unminable;
	}

	/** May a new version be taken where this one is not? */
	get needsNewVersion(): boolean {
		return this.expired || this.underpriced || this.unminable;
	}
}

/** An earlier version of the payment may still be in a block one day, so no other one is signed. */
export class MayStillConfirm extends Error {
	override readonly name = 'MayStillConfirm';
}

/** The hot wallet, or the pay-in address that is swept, holds too little now. */
export class InsufficientReserve extends Error {
	override readonly name = 'InsufficientReserve';
}

/** Nothing is signed from this wallet until the operator has found the cause. A later attempt may succeed. */
export class SigningBlocked extends Error {
	override readonly name = 'SigningBlocked';
}

/** This payment can never be made as it is: the recipient's contract reverts, the amount is dust, … */
export class PaymentImpossible extends Error {
	override readonly name = 'PaymentImpossible';
}
