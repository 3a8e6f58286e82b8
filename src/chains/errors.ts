/**
 * Why a chain or a signer could not do what it was asked. Callers decide by the class and its flags, never by the
 * text. Pure.
 */

/** Characters of a node's message that are kept for the log and the operator. */
const MAX_REASON_CHARACTERS = 500;

/**
 * A transient error: the node is down, slow or answers nonsense. Nothing is known and nothing has changed; ask again
 * later.
 */
export class ChainUnavailable extends Error {
	override readonly name = 'ChainUnavailable';

	/** The node answered with more than we read of one answer. The same question gets the same answer again. */
	readonly tooLarge: boolean;
	/** The node did not answer in time: it is busy or hangs, or the question is too much work for it. */
	readonly timedOut: boolean;

	constructor(reason: string, { tooLarge = false, timedOut = false } = {}) {
		super(reason.slice(0, MAX_REASON_CHARACTERS));
		this.tooLarge = tooLarge;
		this.timedOut = timedOut;
	}
}

/** A permanent error: the network refuses this transaction for good. The operator must look at it. */
export class BroadcastRejected extends Error {
	override readonly name = 'BroadcastRejected';
	/** Another transaction took its coins or its nonce: it can never confirm, and nothing has to wait for it. */
	readonly taken: boolean;
	/** It expired before a block took it: it can never confirm. */
	readonly expired: boolean;

	constructor(message: string, { taken = false, expired = false } = {}) {
		super(message);
		this.taken = taken;
		this.expired = expired;
	}
}

/** The hot wallet, or the pay-in address that is swept, holds too little at the moment. */
export class InsufficientReserve extends Error {
	override readonly name = 'InsufficientReserve';
}

/** Nothing is signed from this wallet until the operator has found out why. A later attempt may succeed. */
export class SigningBlocked extends Error {
	override readonly name = 'SigningBlocked';
}

/** This payment can never be made as it is: the recipient's contract reverts, the amount is dust, … */
export class PaymentImpossible extends Error {
	override readonly name = 'PaymentImpossible';
}
