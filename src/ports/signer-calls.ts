/** The signer's calls by name: each is named here, and no other one is reached, over a binding or over the link. */
import type { SignerService, SignerWorker } from './signer.ts';

/**
 * The vault's calls that other Workers may make as they are. `confirmed`: persons confirm it first. A `free` one tells,
 * derives, stops, records what the chain shows, or pays what deposits prove: `sign` asks for itself what each transaction
 * needs. A call that is new stands here, or does not compile.
 */
const HANDED_ON = {
	newAddresses: 'free',
	greet: 'free',
	readOn: 'free',
	payInAddresses: 'free',
	hotAddress: 'free',
	viewKey: 'free',
	walletCoins: 'free',
	limits: 'free',
	withdrawalAddresses: 'free',
	check: 'free',
	sign: 'free',
	withdrawEarnings: 'free',
	takePayoutAddress: 'free',
	giveUp: 'confirmed',
	earningsPaidByHand: 'free',
	bump: 'free',
	overtaken: 'free',
	settleRefusal: 'free',
	retrySweep: 'free',
	contradictions: 'free',
	answerClaims: 'free',
	followAudit: 'free',
	verifyAudit: 'free',
	acceptAudit: 'free',
	hold: 'free',
	journalFacts: 'free',
	readJournal: 'free',
	beginRestore: 'free',
	writeJournal: 'free',
	endRestore: 'free',
	signedOrders: 'free',
	restored: 'free',
	endMark: 'free',
	adopt: 'free',
	adoptReturn: 'free',
	paidOther: 'confirmed',
	doubted: 'free',
	lookFor: 'free',
	signedFor: 'free',
	refundRefusal: 'free',
	confirmOrders: 'confirmed',
	confirmOwn: 'confirmed',
	promise: 'free',
	promiseKeys: 'free',
	signHead: 'free',
	markHead: 'free',
	heads: 'free',
	signReserves: 'free',
	askPersons: 'free',
	confirm: 'free',
} as const satisfies Readonly<Record<keyof Omit<SignerService, 'identify'>, 'free' | 'confirmed'>>;

type HandedOn = typeof HANDED_ON;

export type ConfirmedCall = {
	[Call in keyof HandedOn]: HandedOn[Call] extends 'confirmed' ? Call : never;
}[keyof HandedOn];

export const HANDED_ON_CALLS = Object.keys(HANDED_ON) as (keyof HandedOn)[];

/** Those that the signer's Worker answers itself, with what the vault says. */
const OWN: Readonly<Record<Exclude<keyof SignerWorker, keyof HandedOn>, true>> = {
	identify: true,
	hotAddresses: true,
	checks: true,
};

export const SIGNER_CALLS = [...HANDED_ON_CALLS, ...Object.keys(OWN)] as (keyof SignerWorker)[];
