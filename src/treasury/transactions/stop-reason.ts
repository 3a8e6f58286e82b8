/**
 * Why a transaction of ours does not go on: a kind with its facts, as the columns `blocked_…` and `waits_…` store it.
 * The sentence for the operator is made here and nowhere else. Code decides by the kind, never by the sentence. Pure.
 */
import type { BroadcastRejected } from '../../chains/errors.ts';
import { refusalText, type SignerRefusal, saysWayOut } from '../signer-refusal.ts';

type Fact<Name extends string, Value = string> = { readonly [N in Name]: Value };
type None = Readonly<Record<string, never>>;

/** The kinds, each with its facts. */
const TEXTS = {
	/** The network refuses it for now. */
	rejected: ({ message }: Fact<'message'>) =>
		`the network refuses the signed transaction (${message}); it is tried again by itself: ` +
		'fill the hot wallet if it lacks coins, else look at the node',
	/** Another transaction spent its coins or its nonce: it can never arrive. `txId`: that one; null where nobody knows. */
	taken: ({ message, txId }: Fact<'message'> & Fact<'txId', string | null>) =>
		`another transaction (${txId ?? 'find it at the hot wallet’s address'}) took its coins or its nonce (${message}), so ` +
		'it cannot arrive, and nothing else is ever sent for it',
	/** The same, while that may still be a version of it which the journal has forgotten. */
	'taken-by': ({ message, txId }: Fact<'message'> & Fact<'txId', string | null>) =>
		`another transaction${txId === null ? '' : ` (${txId})`} took its coins or its nonce (${message}); once that is final ` +
		'on the nodes of the agents Worker and of the signer, the signer says whether it made the same payment',
	/** The same, of a move between our own wallets. `txId`: the other transaction; null where the node cannot tell. */
	overtaken: ({ message, txId }: Fact<'message'> & Fact<'txId', string | null>) =>
		txId === null
			? `another transaction took its nonce (${message}), so nothing moved, and the node cannot tell which one; find it ` +
				'in an explorer at the address that sends, and name it with `payout overtaken ID --tx-id T --reason R`'
			: `another transaction (${txId}) took its nonce, so nothing moved; once that is final on the nodes of both ` +
				'Workers, this one ends and is planned again by itself',
	underpriced: ({ message }: Fact<'message'>) =>
		`it pays less than the network takes now (${message}); it goes on by itself at a higher fee, or once fees fall`,
	/** No block takes its bytes as they are. */
	unminable: ({ message }: Fact<'message'>) =>
		`no block takes it as it is (${message}); the signer signs it again by itself, from the same coins or once its own ` +
		'node proves that this one can never arrive',
	expired: ({ message }: Fact<'message'>) =>
		`it was not taken before its time was over (${message}); the signer signs it again by itself once its own node ` +
		'proves that no block can take this one any more',
	/** It is in a block and failed there. Once that block is final, it can never arrive. */
	reverted: ({ txId }: Fact<'txId'>) =>
		`the chain took it and reverted it (${txId}), so nothing arrived, and nothing else is ever sent for it; ` +
		'see in the explorer why the recipient did not take it',
	/** The same, of a move between our own wallets: once that block is final, the row ends. */
	'move-failed': ({ txId }: Fact<'txId'>) =>
		`it failed on chain (${txId}), so nothing moved; once that is final, it is planned again by itself`,
	lost: ({ minutes }: Fact<'minutes', number>) =>
		`neither chain nor mempool holds it, ${minutes} minutes after it was sent; it is broadcast again by itself: ` +
		'look whether the node is in step, and whether another transaction spent its coins',
	/** As `lost`, and only an earlier journal had its bytes (`restored paid`). */
	'lost-without-bytes': ({ minutes }: Fact<'minutes', number>) =>
		`neither chain nor mempool holds it, ${minutes} minutes after it was recorded, and its bytes are not here, so it is ` +
		'not broadcast again; look in an explorer whether another transaction took its coins or its nonce: ' +
		'until then it may still arrive',
	/** In the mempool, for a long time. `raises`: fee bumps so far, under the name that is stored. */
	unconfirmed: ({ minutes, raises }: Fact<'minutes' | 'raises', number>) =>
		`no block holds it ${minutes} minutes after it was sent, its fee was bumped ${raises} times; ` +
		'it may still confirm and needs nothing but time: look at the explorer, and whether fees are above the ceiling',
	/** It was sent a short time ago. */
	dropped: (_: None) => 'neither chain nor mempool holds it; it is broadcast again by itself where its bytes are here',
	signer: ({ refusal }: Fact<'refusal', SignerRefusal>) => refusalText(refusal),
	'signer-unreachable': ({ error }: Fact<'error'>) => `the signer does not answer: ${error}`,
	'signed-for-another': (_: None) =>
		'the signer answers with a transaction that another row has: by its own node that one is not finished',
	/** The broadcast failed, and the network said nothing about the transaction. */
	'broadcast-failed': ({ error }: Fact<'error'>) => error,
	/** Transaction `id` is not broadcast yet. */
	'earlier-nonce': ({ id }: Fact<'id'>) => `waits for ${id}, whose nonce comes first`,
	'depth-unknown': ({ error }: Fact<'error'>) => `the chain does not say what became of it: ${error}`,
	/** It needs a new version, and the signer makes none now. */
	'fee-not-bumped': ({ refusal }: Fact<'refusal', SignerRefusal>) =>
		`no block holds it, and no new version of it is signed: ${refusalText(refusal)}`,
};

export type StopKind = keyof typeof TEXTS;
export type StopFacts = { readonly [K in StopKind]: Parameters<(typeof TEXTS)[K]>[0] };
export type StopReason = {
	readonly [K in StopKind]: { readonly kind: K; readonly facts: StopFacts[K] };
}[StopKind];

/** One line for the operator. A kind that a newer version stored is shown with its facts. */
export function stopText({ kind, facts }: StopReason): string {
	if (!Object.hasOwn(TEXTS, kind)) return `${kind} ${JSON.stringify(facts)}`;
	return (TEXTS[kind] as (facts: StopFacts[StopKind]) => string)(facts);
}

/** The meaning of the network's refusal. */
export function rejectionReason({ taken, expired, underpriced, unminable, message }: BroadcastRejected): StopReason {
	if (taken) return { kind: 'taken', facts: { message, txId: null } };
	if (underpriced) return { kind: 'underpriced', facts: { message } };
	if (unminable) return { kind: 'unminable', facts: { message } };
	return { kind: expired ? 'expired' : 'rejected', facts: { message } };
}

/** `milliseconds`: since it was sent. `hasBytes`: can it be broadcast again? */
export const lostReason = (milliseconds: number, hasBytes: boolean): StopReason => ({
	kind: hasBytes ? 'lost' : 'lost-without-bytes',
	facts: { minutes: minutesOf(milliseconds) },
});

/** `milliseconds`: since it was sent. `raises`: fee bumps so far. */
export const unconfirmedReason = (milliseconds: number, raises: number): StopReason => ({
	kind: 'unconfirmed',
	facts: { minutes: minutesOf(milliseconds), raises },
});

/** Whole minutes, rounded down. */
const minutesOf = (milliseconds: number): number => Math.floor(milliseconds / 60_000);

type Blocked = { readonly blockedKind: StopKind | null; readonly blockedFacts: StopReason['facts'] | null };
type Waiting = {
	readonly waitsKind: StopKind | null;
	readonly waitsFacts: StopReason['facts'] | null;
	readonly waitsSince: number | null;
};

/** Why the transaction is blocked; null while it is not. */
export const blockedReason = ({ blockedKind: kind, blockedFacts: facts }: Blocked): StopReason | null =>
	kind === null ? null : ({ kind, facts } as StopReason);

/** Why it did not go on at the last attempt; null when it did. */
export const waitingReason = ({
	waitsKind: kind,
	waitsFacts: facts,
}: Pick<Waiting, 'waitsKind' | 'waitsFacts'>): StopReason | null =>
	kind === null ? null : ({ kind, facts } as StopReason);

/** Does the reason say what is to be done? To give it up would lead nowhere. */
export function reasonSaysWayOut(row: Blocked): boolean {
	const reason = blockedReason(row);
	return reason?.kind === 'signer' && saysWayOut(reason.facts.refusal);
}

export const blockedColumns = (reason: StopReason | null): Blocked => ({
	blockedKind: reason?.kind ?? null,
	blockedFacts: reason?.facts ?? null,
});

/** The columns of a transaction that waits for `reason`. `waitsSince` stays as long as the kind stays the same. */
export function waitingColumns(row: Waiting, reason: StopReason, now: number): Waiting {
	const before = waitingReason(row);
	const isSame = before !== null && exactKind(before) === exactKind(reason);
	return { waitsKind: reason.kind, waitsFacts: reason.facts, waitsSince: isSame ? row.waitsSince : now };
}

/** The columns of a transaction that goes on. */
export const NOT_WAITING: Waiting = { waitsKind: null, waitsFacts: null, waitsSince: null };

/** The kind, and of a refusal by the signer its kind too. */
function exactKind({ kind, facts }: StopReason): string {
	if (!('refusal' in facts)) return kind;
	const { refusal } = facts as StopFacts['signer'];
	return `${kind} ${refusal.kind}`;
}

/** Are kind and facts the same? Then there is nothing to store. */
export const isSameReason = (one: StopReason | null, other: StopReason): boolean =>
	one?.kind === other.kind && JSON.stringify(one.facts) === JSON.stringify(other.facts);
