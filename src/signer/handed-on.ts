/** The signer's calls, and which of them persons have to confirm first. A call that is new stands here, or does not compile. */
import type { SignerService } from '../ports/signer.ts';
import { giveUpMove, type Move, restoredMove } from '../treasury/moves.ts';

export type HandedOn = Omit<SignerService, 'identify'>;

/** The vault as the entry of its Worker calls it. */
export interface Handed {
	/** Carries the call out. @throws TypeError where persons have to confirm it and have not */
	handed(call: keyof SignerService, given: readonly unknown[]): Promise<unknown>;
}

/**
 * It tells, derives, stops, records what the chain shows, or pays what deposits prove: `sign` asks for itself what each
 * transaction needs (`sign.ts`).
 */
const free = () => [];

/**
 * The vault's calls that other Workers may make: each is named with the moves that persons have to confirm before it is
 * carried out, and no other one is reached.
 */
export const HANDED_ON: {
	readonly [Call in keyof SignerService]: (...given: Parameters<SignerService[Call]>) => readonly Move[];
} = {
	identify: free,
	newAddresses: free,
	greet: free,
	readOn: free,
	payInAddresses: free,
	hotAddress: free,
	viewKey: free,
	walletCoins: free,
	limits: free,
	withdrawalAddresses: free,
	check: free,
	sign: free,
	withdrawEarnings: free,
	takePayoutAddress: free,
	giveUp: (payoutId, orderId) => [giveUpMove(payoutId, orderId)],
	earningsPaidByHand: free,
	bump: free,
	overtaken: free,
	settleRefusal: free,
	retrySweep: free,
	contradictions: free,
	answerClaims: free,
	followAudit: free,
	verifyAudit: free,
	acceptAudit: free,
	hold: free,
	journalFacts: free,
	readJournal: free,
	beginRestore: free,
	writeJournal: free,
	endRestore: free,
	signedOrders: free,
	restored: free,
	endMark: free,
	adopt: free,
	adoptReturn: free,
	paidOther: (orderId, asset, txId) => [['another payment', orderId, asset, txId]],
	doubted: free,
	lookFor: free,
	signedFor: free,
	refundRefusal: free,
	confirmOrders: (orders, { looked, not }) => [restoredMove({ orders, own: false, looked, not })],
	confirmOwn: ({ looked, not }) => [restoredMove({ orders: [], own: true, looked, not })],
	promise: free,
	promiseKeys: free,
	signHead: free,
	markHead: free,
	heads: free,
	signReserves: free,
	askPersons: free,
	confirm: free,
};
