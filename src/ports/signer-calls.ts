/** The signer's calls by name: each is named here, and no other one is reached, over a binding or over the link. */
import type { SignerService, SignerWorker } from './signer.ts';

/** The vault's calls that other Workers may make as they are. */
const HANDED_ON: Readonly<Record<keyof Omit<SignerService, 'identify'>, true>> = {
	newAddresses: true,
	greet: true,
	readOn: true,
	payInAddresses: true,
	hotAddress: true,
	viewKey: true,
	walletCoins: true,
	limits: true,
	withdrawalAddresses: true,
	check: true,
	sign: true,
	withdrawEarnings: true,
	takePayoutAddress: true,
	giveUp: true,
	earningsPaidByHand: true,
	bump: true,
	overtaken: true,
	settleRefusal: true,
	retrySweep: true,
	contradictions: true,
	answerClaims: true,
	followAudit: true,
	verifyAudit: true,
	acceptAudit: true,
	hold: true,
	journalFacts: true,
	readJournal: true,
	beginRestore: true,
	writeJournal: true,
	endRestore: true,
	signedOrders: true,
	restored: true,
	endMark: true,
	adopt: true,
	adoptReturn: true,
	paidOther: true,
	doubted: true,
	lookFor: true,
	signedFor: true,
	refundRefusal: true,
	confirmOrders: true,
	confirmOwn: true,
	promise: true,
	promiseKeys: true,
	signHead: true,
	markHead: true,
	heads: true,
	signReserves: true,
	askPersons: true,
	confirm: true,
};

export const HANDED_ON_CALLS = Object.keys(HANDED_ON) as (keyof typeof HANDED_ON)[];

/** Those that the signer's Worker answers itself, with what the vault says. */
const OWN: Readonly<Record<Exclude<keyof SignerWorker, keyof typeof HANDED_ON>, true>> = {
	identify: true,
	hotAddresses: true,
	checks: true,
};

export const SIGNER_CALLS = [...HANDED_ON_CALLS, ...Object.keys(OWN)] as (keyof SignerWorker)[];
