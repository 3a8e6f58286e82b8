/**
 * Why the signer refuses: one tagged value with its facts. The signer sends it to the API Worker, which stores it, so
 * it holds only JSON: text and whole numbers. For each kind the table below says what the operator reads, whether a
 * later try may succeed, and whether the operator is called.
 *
 * Stored values outlive versions: a kind and its facts are never renamed, and a new reason gets a new kind. During a
 * deployment two Workers may run different versions, so an unknown kind has a text too. Pure.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { COSIGNER_RULES, type Detail } from './cosigner-refusal.ts';
import { aboveCapText, type OverCap, overCapText } from './over-cap.ts';
import { PASSKEY_RULES } from './passkey-refusal.ts';
import { afterPerson, byItself, never, noBump, type Passes, type Rule, rule, wayOut } from './refusal-rule.ts';
import type { Backup, PaidBefore, PaidWith, Settlement, StrayPaidBefore, UnreadOrder } from './refusal-texts.ts';
import { forgotten, giveUpWith, paidBeforeText, paidWithText, strayPaidText, unreadText } from './refusal-texts.ts';

interface Variable {
	/** Its name in the signer's configuration. */
	readonly variable: string;
}

/** An entry of such a variable. */
interface WithdrawalName extends Variable {
	readonly name: string;
}

interface World {
	readonly workedOn: 'main' | 'test';
	readonly configuredFor: 'main' | 'test';
}

const WORLDS = { main: 'main chains', test: 'the sandbox or test chains' } as const;

const RULES = {
	// The signer's own state and configuration: nothing is signed until the operator has changed it.
	'wrong-world': afterPerson<World>(
		({ workedOn, configuredFor }) =>
			`this signer has worked on ${WORLDS[workedOn]} and is configured for ${WORLDS[configuredFor]}: deploy a signer and a database of their own`,
	),
	'deployment-not-named': afterPerson(
		'DEPLOYMENT is not set: on main chains the signer signs nothing without the name of its deployment',
	),
	'journal-too-new': afterPerson<{ readonly step: number; readonly known: number }>(
		({ step, known }) =>
			`the signer's journal has schema step ${step}, and this version knows ${known}: deploy the newer signer again`,
	),
	'journal-full': afterPerson<{ readonly bytes: number }>(
		({ bytes }) =>
			`the signer's journal has ${(bytes / 1e9).toFixed(1)} of its 10 GB, so nothing more is signed: \`doctor\` says what to do`,
	),
	'journal-volume-lost': afterPerson<{ readonly volume: number }>(
		({ volume }) =>
			`journal-${volume}, an older volume of the signer’s journal, has lost what it took, so nothing that belongs to it is signed: \`doctor\` says what to do`,
	),
	held: byItself('a backup of the service is under way'),
	restoring: afterPerson('a restore of the service has begun and not ended: run `restore` again with the same file'),
	restored: wayOut<Backup>(
		(backup) => `${forgotten(backup)}: \`restored show\` says what else waits, then \`restored confirm --own\``,
	),
	'restored-order': wayOut<Backup & { readonly orderId: string }>(
		(backup) => `${forgotten(backup)}: \`restored show\` says what the chain has of this order and what to do`,
	),
	'paid-before': wayOut<PaidBefore>(paidBeforeText),
	'payments-unread': wayOut<UnreadOrder>(unreadText),
	'order-not-restored': never<{ readonly orderId: string }>(
		({ orderId }) => `${orderId} waits for nobody because of a restore: the signer pays it, or has paid it`,
	),
	'not-on-chain': afterPerson<{ readonly txId: string }>(
		({ txId }) => `the signer’s node does not know ${txId} in any block`,
	),
	'not-that-payment': never<{ readonly txId: string }>(
		({ txId }) => `${txId} does not pay that recipient that amount from our wallet`,
	),
	'signed-for-another': never<{ readonly txId: string }>(({ txId }) => `${txId} was signed for another payment`),
	'key-invalid': afterPerson<{ readonly problem: string }>(({ problem }) => `the signer's ${problem}`),
	'cap-not-set': afterPerson<Variable>(
		({ variable }) => `${variable} is not set: the signer signs nothing until it is`,
	),
	'cap-invalid': afterPerson<Variable>(
		({ variable }) => `${variable} is not an amount of US dollars: the signer signs nothing until it is`,
	),
	'network-not-run': afterPerson<{ readonly network: NetworkName }>(
		({ network }) =>
			`the signer does not run ${network}, where the deposit is: give it its NODE_URL_${network.toUpperCase()}`,
	),

	// The day's cap and the market.
	'daily-cap': byItself<OverCap & { readonly usedCents: number }>(overCapText),
	'above-daily-cap': afterPerson<OverCap>(aboveCapText),
	'no-fresh-price': byItself('no fresh price'),

	...COSIGNER_RULES,
	// Refusals of a chain family that is asked to sign, and unforeseen failures.
	'reserve-too-low': afterPerson<Detail>(({ detail }) => `${detail}; fill the hot wallet, then it goes on by itself`),
	'signing-blocked': afterPerson<Detail>(({ detail }) => detail),
	'payment-impossible': never<Detail>(({ detail }) => detail),
	failed: byItself<Detail>(({ detail }) => `signing failed: ${detail}`),

	// Any transaction.
	'no-such-transaction': never('no such transaction'),
	'no-such-order': never('no such order'),
	'signed-already': never(
		'it is signed, so it may arrive, and is never given up; if it cannot arrive, pay by hand and close it with `payout settle ID --tx-id T --reason R`',
	),
	'given-up': never('it was given up: it is never signed'),
	'other-network': never('another network'),
	'other-asset': never('another asset'),
	'other-recipient': never('another recipient'),
	'amount-invalid': never('an amount that is none'),
	'pay-in-address-not-ours': never('pay-in address is not ours'),

	// Payouts and refunds.
	'order-seal-broken': wayOut(
		'the order is not as it was sealed, so nothing is paid or sent back: `network check` says whether SEAL_KEY of the Workers is the same; if it is, somebody changed its row: put it back as a backup has it, and it goes on by itself',
	),
	'settlement-changed': never<Settlement>(
		(settlement) =>
			`amount or deposits are not those that were settled: somebody changed rows; ${giveUpWith(settlement)}`,
	),
	'margins-invalid': never('margins that are none'),
	'below-floor': never<Settlement>((paid) => `less than the floor: somebody has SEAL_KEY; ${giveUpWith(paid)}`),
	'no-deposit': never('no deposit'),
	'deposit-of-other-order': wayOut(
		'a deposit row of this order has an address, asset or network that is not the order’s, or an amount that is none: somebody changed it; put it back as the chain shows it, and it goes on by itself',
	),
	'promised-otherwise': wayOut(
		'its pay-in address was promised on other terms, or paid for on others, so nothing is paid or sent back: somebody who has SEAL_KEY changed its row; put it back as a backup has it, with its seal, and it goes on by itself; then change the key: `keys plan SEAL_KEY --leaked`',
	),
	'order-paid': wayOut<PaidWith>((paid) => paidWithText('this order was paid', paid)),
	'deposits-paid': wayOut<PaidWith>((paid) => paidWithText('these deposits were paid for', paid)),
	'address-not-of-order': wayOut(
		'the pay-in address is not this order’s, so nothing is paid or sent back: somebody who has SEAL_KEY changed its row; put it back as a backup has it, with its seal, and it goes on by itself; then change the key: `keys plan SEAL_KEY --leaked`',
	),
	'deposits-not-final': byItself(
		'the deposits are not final on the signer’s node; if that lasts, a deposit row is not as the chain has it: compare `order show ID` with an explorer, and put the row back, or delete it where the chain has no such deposit',
	),
	'deposits-paid-meanwhile': byItself('other deposits there were paid for meanwhile'),
	'above-deposit-value': byItself('amount above what the deposit is worth'),

	// Partners' earnings.
	'payout-address-not-sealed': afterPerson(
		'the payout address has no seal that holds: set it and its asset by partner update',
	),
	'payout-address-older': afterPerson(
		'the payout address is not the one that was set last, or is one of ours: set the right one and its asset by partner update',
	),
	// It passes by itself, but the operator is called: an attacker may have changed the address.
	'payout-address-too-new': rule<object>('by-itself', true, 'the payout address was changed less than 24 h ago'),
	'other-asset-than-partner': never('another asset than the partner is paid in'),
	'other-recipient-than-partner': never('another recipient than the partner'),
	'no-orders': never('no orders, or more than one payout pays for'),
	'order-without-earnings': never('an order that the signer has no earnings on record for'),
	'earnings-of-other-partner': never('earnings of another partner'),
	'above-earnings': never('amount above what was earned'),
	'below-earnings': never('amount below what was earned'),
	'earnings-paid': never('these earnings were paid already'),

	// Gas to pay-in addresses, sweeps of them, and consolidations. Most of these end with the plan, which is made again later.
	'sweeps-unsupported': never('nothing is swept on this network'),
	'deposit-not-paid-yet': byItself('no deposit there was answered for yet'),
	'sweep-not-worth-it': byItself('worth less than three times its cost'),
	'sweep-too-small': byItself('most of what lies there is not on record yet'),
	'sweep-fee-too-high': byItself('its fee may be more than it brings'),
	'gas-not-needed': byItself('the address lacks no gas'),
	'gas-too-much': byItself('more gas than the address lacks'),
	'gas-too-often': byItself('gas was sent there often enough today'),
	'gas-missing': byItself<Detail>(({ detail }) => detail),
	'last-one-reverted': byItself<{ readonly txId: string }>(({ txId }) => `that ${txId} was reverted is not final yet`),
	'last-one-overtaken': byItself<{ readonly txId: string }>(({ txId }) => `${txId} has its nonce and is not final yet`),
	'failed-too-often': byItself(
		'too many for this address failed on chain within 30 days; `order sweep ID --reason R` tries again',
	),
	'consolidation-unsupported': never('nothing is joined on this network'),
	'consolidation-not-due': byItself('there is nothing to join now, or fees are not low'),

	// Returns of strays.
	'deposit-no-stray': never('the asset is the one that the order asked for, so it is a deposit'),
	'stray-not-arrived': byItself('no sweep has brought what is to go back, or it went back already'),
	'above-stray': never('amount above what sweeps brought of it'),
	'refund-address-contract': afterPerson<{ readonly network: NetworkName }>(
		({ network }) =>
			`the refund address is a contract on ${network}, and perhaps its payer's on that network alone: enter another address`,
	),
	'token-listed': never('it is an asset of this service'),
	'token-immovable': byItself('the token refuses the transfer, may be another name of an asset, or takes too much gas'),
	'token-tried-too-often': never('three returns in 30 days, or 20 of such tokens in a day, were signed'),
	'stray-paid-before': wayOut<StrayPaidBefore>(strayPaidText),

	// Withdrawals.
	'withdraw-address-not-set': afterPerson<Variable>(
		({ variable }) => `the signer has no address to withdraw to: set its variable ${variable}`,
	),
	'withdraw-address-malformed': afterPerson<Variable & { readonly position: number }>(
		({ variable, position }) =>
			`entry ${position} of the signer's ${variable} is not like cold=ADDRESS or kraken=ADDRESS/5000`,
	),
	'withdraw-address-invalid': afterPerson<WithdrawalName & { readonly network: NetworkName }>(
		({ variable, name, network }) => `${name} in the signer's ${variable} is no address of ${network}`,
	),
	'withdraw-address-ours': afterPerson<WithdrawalName>(
		({ variable, name }) => `${name} in the signer's ${variable} is an address of the service itself`,
	),
	'withdraw-address-doubled': afterPerson<WithdrawalName>(
		({ variable, name }) => `${name} in the signer's ${variable} has a name or an address that an entry before it has`,
	),
	'other-recipient-than-configured': never('another recipient than those that the signer is configured with'),

	...PASSKEY_RULES,

	// New versions of what is signed.
	'bump-of-unknown-payment': noBump('no such payment was signed here'),
	'bumped-too-often': noBump<{ readonly times: number }>(({ times }) => `the fee was bumped ${times} times already`),
	'may-still-confirm': byItself<Detail>(({ detail }) => `the earlier one may still be in a block: ${detail}`),
	'bump-of-confirmed': noBump('a version of it is in a block'),
	'bump-frees-coins': noBump('the new version would not take all that the old one takes'),
} as const;

type Rules = typeof RULES;

/** A plain object: `{ kind, …facts }`. */
export type SignerRefusal = {
	[Kind in keyof Rules]: { readonly kind: Kind } & Readonly<Parameters<Rules[Kind]['text']>[0]>;
}[keyof Rules];

/** Longest text of a refusal that this version does not know, characters. */
const MAX_UNKNOWN = 500;

/** For a refusal of a newer signer. */
const unknownRule = (refusal: SignerRefusal): Rule<SignerRefusal> =>
	afterPerson(
		`the signer refuses for a reason that this version does not know: ${JSON.stringify(refusal).slice(0, MAX_UNKNOWN)}`,
	);

function ruleOf(refusal: SignerRefusal): Rule<SignerRefusal> {
	const isKnown = Object.hasOwn(RULES, refusal.kind);
	return isKnown ? (RULES[refusal.kind] as Rule<SignerRefusal>) : unknownRule(refusal);
}

/** One line for the operator and the log. */
export const refusalText = (refusal: SignerRefusal): string => ruleOf(refusal).text(refusal);

export const refusalPasses = (refusal: SignerRefusal): Passes => ruleOf(refusal).passes;

/** Does its text say what is to be done, so that nothing else is offered? */
export const saysWayOut = (refusal: SignerRefusal): boolean => ruleOf(refusal).saysWayOut;

export const isAlert = (refusal: SignerRefusal): boolean => ruleOf(refusal).alert;
