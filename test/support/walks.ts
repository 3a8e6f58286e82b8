/**
 * Each reason for which something waits, and the test that walks its advice: the state is made by what causes it, what is
 * printed is done to the letter, and it goes on. Exhaustive: a new reason without a walk does not compile.
 */
import type { IncidentName } from '../../src/incidents/kinds.ts';
import type { CollectorName } from '../../src/operator/attention/collect.ts';
import type { SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import type { StopKind } from '../../src/treasury/transactions/stop-reason.ts';

/** The file below `test`, without its ending, and the title in it. */
export type Shown = readonly [file: string, title: string];

export type Walk =
	/** A person does what is printed, and it goes on. */
	| { readonly walked: Shown }
	/** Nobody does anything, and it goes on. */
	| { readonly byItself: Shown }
	/** It is the answer to a command, and the command that it leads to is the walk; or nothing is left to be done. */
	| { readonly answer: Shown };

const walked = (...shown: Shown): Walk => ({ walked: shown });
const byItself = (...shown: Shown): Walk => ({ byItself: shown });
const answer = (...shown: Shown): Walk => ({ answer: shown });

const VARIABLES = '%s: it is named, and once it is set the order is paid';
const CHANGED = 'faults/walks-changed-rows';
const SEALED_OTHERWISE =
	'a payout of an order that is sealed with %s is taken back, and its order sent back, by the printed commands';
const TAKEN_BACK = '%s is taken back, and its order sent back, by the printed commands';
const PUT_BACK = '%s: once it is put back, as the cause says, the payout goes out by itself';
const FORGED = 'faults/walks-forged-payments';
const FORGED_TOKEN = 'no row of D1 sends a listed asset, or anything to an address that no command has sealed';
const TAKEN_FROM = '%s: is taken back by the command that is printed';
const SWEEPS = 'faults/signer-sweeps';
const DROPPED_AND_PLANNED = 'is dropped after some refusals and planned again, and the coins arrive';
const DROPPED = '%s: a %s, which nobody is owed, is dropped by itself after some refusals';

export const SIGNER = {
	'wrong-world': walked('nodes/worlds', 'and the sandbox, which is deployed on its own again, pays for it'),
	'deployment-not-named': walked('nodes/worlds', '%s is named, and nothing is paid until it is set'),
	'journal-too-new': walked('faults/signer', 'signs nothing, says why, and pays once the newer signer is back'),
	'journal-full': walked(
		'faults/full-journal',
		'stops payouts with the reason, loses none, and they go on once it has room',
	),
	'journal-volume-lost': walked(
		'faults/volumes',
		'a volume that lost what it took stops the refund of its order, says so, and lets it go once it is whole again',
	),
	held: byItself(
		'faults/restore',
		'that is broken off holds the service for a minute at most: create answers 10 meanwhile',
	),
	restoring: walked('faults/restore', 'that is broken off serves nothing, and goes on with the same file'),
	restored: walked('faults/restored-advice', 'and once they are booked, the rest goes on'),
	'restored-order': walked(
		'faults/followed-advice',
		'who follows every printed line to the letter pays nothing twice, and no order stays',
	),
	'paid-before': walked(
		'faults/restored-advice',
		'is not given up, refunded or confirmed: each refusal names that command',
	),
	'payments-unread': walked(
		'nodes/monero-service',
		'of an order in EMERGENCY that was made after a backup is found in a restored one, booked by the printed command, and not made again',
	),
	'order-not-restored': answer(
		'faults/restore',
		'is no way to mark as paid what is owed: without a restore no order is booked with a transaction',
	),
	'not-on-chain': answer('faults/restore', 'pays new orders at once, and older ones only after a person has looked'),
	'not-that-payment': answer(
		'faults/restore',
		'pays new orders at once, and older ones only after a person has looked',
	),
	'signed-for-another': answer(
		'faults/restored-advice',
		'are each named with the command that books it, before what belongs to no order goes on',
	),
	'key-invalid': walked('faults/walks-variables', VARIABLES),
	'cap-not-set': walked(
		'faults/signer-caps',
		'nothing is signed until it is set; payout, network check and site show say so, and no order is taken',
	),
	'cap-invalid': walked('faults/walks-variables', VARIABLES),
	'cosigner-unreachable': byItself(
		'faults/cosigner',
		'waits while the co-signer is away, and says so; whatever is cut, lost or killed between the two journals, it pays once',
	),
	'cosigner-set-back': walked(
		'unit/cosigner',
		'a co-signer whose journal was set back, or that is another one, is refused by name until a person accepts it, once',
	),
	'cosigner-waits': byItself('unit/cosigner', '%s says why nothing is signed, and what to do'),
	'cosigner-refuses': walked('unit/cosigner', '%s says why nothing is signed, and what to do'),
	'network-not-run': walked('nodes/worlds', '%s is named, and nothing is paid until it is set'),

	'daily-cap': walked('faults/walks-variables', VARIABLES),
	'above-daily-cap': walked('faults/walks-variables', VARIABLES),
	'no-fresh-price': byItself('operator/price-sources', 'the next refresh with a quorum brings the price back'),

	'reserve-too-low': walked(
		'nodes/refused-fees',
		'above the signer’s ceiling, or above what the wallet holds, says why it waits, and goes on once that has passed',
	),
	'signing-blocked': walked(
		'nodes/evm-unreadable',
		'signs nothing by a count that is wrong, and goes on when it is right',
	),
	'payment-impossible': walked(
		'nodes/payout-cases',
		'because its recipient does not take coins is given up and sent back, and is not paid when they take them later',
	),
	failed: byItself(
		'nodes/refused-fees',
		'above the signer’s ceiling, or above what the wallet holds, says why it waits, and goes on once that has passed',
	),

	'no-such-transaction': walked(FORGED, TAKEN_FROM),
	'no-such-order': answer(
		'faults/restored-advice',
		'and one that the chain shows nothing of is paid once it is confirmed',
	),
	'signed-already': answer('faults/give-up', 'is not given up once it is signed'),
	'given-up': walked(
		'faults/give-up',
		'is never signed after a crash between signer and database, nor under another id; repeating the command completes it',
	),
	'other-network': walked(FORGED, TAKEN_FROM),
	'other-asset': walked(CHANGED, TAKEN_BACK),
	'other-recipient': walked(CHANGED, TAKEN_BACK),
	'amount-invalid': walked(FORGED, TAKEN_FROM),
	'pay-in-address-not-ours': answer(FORGED, DROPPED),

	'order-seal-broken': walked(CHANGED, PUT_BACK),
	'settlement-changed': walked(CHANGED, TAKEN_BACK),
	'margins-invalid': walked(CHANGED, SEALED_OTHERWISE),
	'below-floor': walked(CHANGED, SEALED_OTHERWISE),
	'no-deposit': walked(CHANGED, TAKEN_BACK),
	'deposit-of-other-order': walked(CHANGED, PUT_BACK),
	'order-paid': walked(
		'faults/walks-set-back',
		'an order whose payout is planned again ends with the payout that it got, in the amount of then',
	),
	'deposits-paid': walked(
		'faults/walks-set-back',
		'an order that was sent back and is to be sent back again ends with the refund that it got',
	),
	'address-not-of-order': walked(
		CHANGED,
		'an order that is sealed with an address of another number is paid once its row is put back with its seal, as the cause says',
	),
	'promised-otherwise': walked(
		CHANGED,
		'an order that was promised and is sealed on other terms is paid once its row is put back with its seal, as the cause says',
	),
	'deposits-not-final': walked(CHANGED, 'the amount of a deposit: it is sent back once the row is as the chain has it'),
	'deposits-paid-meanwhile': byItself(
		CHANGED,
		'of two payments for deposits of one order that are signed at once, the second is signed at its next try',
	),
	'above-deposit-value': walked(
		CHANGED,
		'a payout that is sealed above the worth of its deposit is taken back, and its order sent back, by the printed commands',
	),

	'payout-address-not-sealed': walked(
		FORGED,
		'an address of the partner that somebody wrote is set again with its asset, as the cause says, and paid',
	),
	'payout-address-older': walked(
		'faults/older-payout-address',
		'that was planned before is refused by the signer, until the address is set again',
	),
	'payout-address-too-new': byItself('operator/earnings', 'a changed address waits 24 h'),
	'other-asset-than-partner': walked(FORGED, TAKEN_FROM),
	'other-recipient-than-partner': walked(
		'operator/earnings',
		'a payout planned to the partner’s former address is planned again',
	),
	'no-orders': walked(FORGED, TAKEN_FROM),
	'order-without-earnings': walked(FORGED, TAKEN_FROM),
	'earnings-of-other-partner': walked(FORGED, TAKEN_FROM),
	'above-earnings': walked(
		'faults/signer-earnings',
		'is planned again when the operator repeats the command, and paid',
	),
	'below-earnings': walked(FORGED, TAKEN_FROM),
	'earnings-paid': walked(
		FORGED,
		'leaves what is owed as it was: it is paid once, and a second one for it is taken back too',
	),

	'sweeps-unsupported': answer(FORGED, DROPPED),
	'deposit-not-paid-yet': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'sweep-not-worth-it': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'sweep-too-small': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'sweep-fee-too-high': byItself(SWEEPS, 'because its fee has risen since it was quoted is signed once it has fallen'),
	'gas-not-needed': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'gas-too-much': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'gas-too-often': byItself(SWEEPS, DROPPED_AND_PLANNED),
	'gas-missing': byItself(
		'nodes/treasury',
		'brings gas to a token’s address, sweeps it, and counts both to the last unit: the least order costs at most its share',
	),
	'last-one-reverted': byItself(
		'nodes/failed-sweeps',
		'may not be followed by another one while a reorganisation can bring it back, whatever D1 says',
	),
	'last-one-overtaken': byItself(
		'nodes/overtaken-sweeps',
		'does not end by the agent’s node alone: the signer looks at its own',
	),
	'failed-too-often': walked(
		'nodes/failed-sweeps',
		'is made again a few times only: then the operator is told, and the signer counts for itself',
	),
	'consolidation-unsupported': answer(FORGED, DROPPED),
	'consolidation-not-due': byItself(
		'nodes/utxo-service',
		'and coins that nothing has to join: a consolidation that somebody wrote is dropped by itself',
	),

	'deposit-no-stray': walked(FORGED, TAKEN_FROM),
	'stray-not-arrived': byItself(
		'nodes/strays',
		'USDC that came to the address of a USDT order goes back to the refund address, less its cost, once',
	),
	'above-stray': walked(FORGED, TAKEN_FROM),
	'refund-address-contract': walked(
		'nodes/strays',
		'a refund address that is a contract waits for a person there, and goes where they say',
	),
	'token-listed': answer('nodes/returned-tokens', FORGED_TOKEN),
	'token-immovable': answer(
		'nodes/returned-tokens',
		'whose contract refuses the transfer costs nothing, and waits with the reason: %s',
	),
	'token-tried-too-often': answer(
		'nodes/returned-tokens',
		'that burns its gas costs a bounded sum at each call, twice a day at most, and stops nothing else',
	),
	'stray-paid-before': walked(
		'faults/stray-restores',
		'is booked by the command that is printed, once, and the books are even',
	),

	'withdraw-address-not-set': walked(
		'faults/walks-variables',
		'addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there',
	),
	'withdraw-address-malformed': walked(
		'faults/walks-variables',
		'addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there',
	),
	'withdraw-address-doubled': walked(
		'faults/walks-variables',
		'addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there',
	),
	'withdraw-address-invalid': walked(
		'faults/walks-variables',
		'addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there',
	),
	'withdraw-address-ours': walked(
		'faults/walks-variables',
		'addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there',
	),
	'other-recipient-than-configured': walked(FORGED, TAKEN_FROM),

	'passkeys-malformed': answer(
		'unit/persons',
		'a malformed entry, or one that is there twice, refuses all moves and names the entry: %s',
	),
	'not-confirmed': walked(
		'faults/passkeys',
		'that somebody writes into the database is not signed, and is taken back by the printed command',
	),
	'passkey-refused': answer('faults/passkeys', 'with an assertion %s is refused by name: %s'),

	'bump-of-unknown-payment': answer(
		'nodes/payout-versions',
		'is not replaced once it is in a block, nor by another payment, whatever D1 says',
	),
	'bumped-too-often': answer(
		'nodes/payout-versions',
		'costs at most a bounded number of bounded fees when somebody abuses the signer',
	),
	'may-still-confirm': byItself(
		'nodes/solana-payments',
		'is not signed again where a block holds it, however old, nor by a node that has forgotten those blocks',
	),
	'bump-of-confirmed': answer(
		'nodes/payout-versions',
		'is not replaced once it is in a block, nor by another payment, whatever D1 says',
	),
	'bump-frees-coins': answer(
		'nodes/payout-versions',
		'is not replaced once it is in a block, nor by another payment, whatever D1 says',
	),
} as const satisfies Record<SignerRefusal['kind'], Walk>;

export const STOPS = {
	underpriced: byItself(
		'nodes/refused-fees',
		'payments that were signed during an outage arrive at a higher fee, each once, and none waits for another',
	),
	unminable: byItself(
		'nodes/monero-service',
		'that was signed while the nodes were down, and made unmineable by a reorganisation, arrives once, by itself',
	),
	rejected: walked(
		'nodes/payout-cases',
		'because the node refuses it is blocked with what to do, and is paid as soon as the node takes it',
	),
	taken: walked(
		'operator/earnings',
		'that was signed and can no longer arrive is closed with the operator’s own payment, and announced once',
	),
	'taken-by': byItself(
		'faults/bumped-after-backup',
		'is followed as its later version, which the restored journal has forgotten, and is never paid by hand',
	),
	overtaken: walked(
		'nodes/overtaken-sweeps',
		'is closed by the operator where the node cannot tell which one it was, and only with the right one',
	),
	expired: byItself(
		'nodes/solana-swap',
		'that expires before the network takes it is signed again by itself, and arrives once',
	),
	reverted: walked(
		'nodes/payout-cases',
		'because the recipient reverts is blocked, with what to do, and is not sent again',
	),
	'move-failed': byItself(
		'nodes/failed-sweeps',
		'costs its fee and moves nothing, and another one moves the coins after a pause',
	),
	lost: byItself(
		'nodes/payout-cases',
		'because the network has dropped it is shown after an hour, broadcast again unchanged, and arrives',
	),
	'lost-without-bytes': walked(
		'nodes/payout-cases',
		'because only an earlier journal had its bytes and another transaction took its nonce is paid by hand and closed as printed',
	),
	unconfirmed: byItself(
		'nodes/payout-cases',
		'because no block takes it, or the node says nothing of it, asks for nothing but time, and arrives',
	),
	dropped: byItself(
		'nodes/refused-fees',
		'one that the node has dropped after it was sent is sent again at a higher fee',
	),
	signer: walked(CHANGED, TAKEN_BACK),
	'signer-unreachable': byItself(
		'faults/restart',
		'killed with -9 at any moment loses nothing: orders, spent nonces and payouts under way continue',
	),
	'signed-for-another': byItself(
		'unit/signature-not-stored',
		'a sweep that gets such signatures again and again is deleted, and planned again',
	),
	'broadcast-failed': byItself(
		'nodes/payout-cases',
		'because the node is down when it is to be sent says so, and so does the payout that waits behind it',
	),
	'earlier-nonce': byItself(
		'nodes/payout-cases',
		'because the node is down when it is to be sent says so, and so does the payout that waits behind it',
	),
	'depth-unknown': byItself(
		'nodes/payout-cases',
		'because no block takes it, or the node says nothing of it, asks for nothing but time, and arrives',
	),
	'fee-not-bumped': walked(
		'nodes/refused-fees',
		'above the signer’s ceiling, or above what the wallet holds, says why it waits, and goes on once that has passed',
	),
} as const satisfies Record<StopKind, Walk>;

const INCIDENT = '%s: each command that it names runs, and it ends as it says';
const incident: Walk = walked('operator/walks', INCIDENT);

export const INCIDENT_WALKS = {
	'books-differ': walked(
		'faults/adjust',
		'a wallet that has less, or more, than the books say agrees again, and the audit log says why',
	),
	'books-unchecked': incident,
	'solvency-unproven': incident,
	'transaction-unsigned': incident,
	'reserve-missing': incident,
	'sweep-failing': walked(
		'operator/order-sweep',
		'has the address judged at the next poll, ends the incident, and is in the audit log',
	),
	'pool-address-seal-broken': incident,
	'order-seal-broken': walked(CHANGED, PUT_BACK),
	'index-counter-lost': incident,
	'settings-set-back': walked(
		'faults/set-back',
		'a person decides again with the same commands, and ends each incident',
	),
	'journal-lost': walked(
		'faults/bad-hour',
		'is noticed: new orders are paid, and what was owed waits until a person has looked',
	),
	'journal-older': walked(
		'faults/bad-hour',
		'is noticed by what the agents remember: nothing is paid twice, what may have been paid waits, and new orders go on',
	),
	'journal-restored': walked(
		'faults/followed-advice',
		'who follows every printed line to the letter pays nothing twice, and no order stays',
	),
	'payout-address-changed': incident,
	'secret-set-back': incident,
	'code-set-back': incident,
	'audit-log-changed': walked(
		'faults/audit-log',
		'and deletes the newest lines is seen within a minute, and by doctor, until a person says why',
	),
	'history-bent': walked(
		'faults/audit-log',
		'that is bent is named by its first row, told by attention within the hour, and accepted by a person',
	),
	'call-failed': byItself(
		'operator/alerts',
		'is noted when a call fails with code 99, and is one row however many calls fail',
	),
} as const satisfies Record<IncidentName, Walk>;

/** By the part of `attention` that makes the rows. */
export const ATTENTION = {
	orders: walked('operator/walks', '%s: it ends by the command that its row names'),
	transactions: walked(CHANGED, TAKEN_BACK),
	wallets: walked(
		'nodes/refused-fees',
		'above the signer’s ceiling, or above what the wallet holds, says why it waits, and goes on once that has passed',
	),
	incidents: incident,
	journal: walked(
		'faults/bad-hour',
		'is noticed: new orders are paid, and what was owed waits until a person has looked',
	),
	caps: walked('operator/walks', 'of the day that is nearly used is raised by the command that its row names'),
	prices: byItself('operator/price-sources', 'the next refresh with a quorum brings the price back'),
	nodes: byItself('nodes/unanswered', 'a network takes no orders while a node is down, and recovers by itself'),
	addresses: byItself('nodes/unanswered', 'a network takes no orders while a node is down, and recovers by itself'),
	configuration: walked('faults/leaked-key', 'without the leaked key nothing of it has come back, and the books agree'),
	switches: walked('operator/walks', 'of %s is undone by the command that its row names'),
	archive: walked('faults/operator-worker', 'which the command that is printed ends'),
	webhooks: walked(
		'operator/walks',
		'that were given up are listed and sent again by the commands that their row names',
	),
	payouts: byItself(
		'operator/reports',
		'wait below the threshold without a word, and for the 24 hours of a changed address with one',
	),
	orderPages: walked('operator/walks', 'that somebody wrote are stored again as they are in force'),
	strays: walked(
		'nodes/strays',
		'a refund address that is a contract waits for a person there, and goes where they say',
	),
} as const satisfies Record<CollectorName, Walk>;
