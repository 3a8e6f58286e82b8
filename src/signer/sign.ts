/**
 * Signs one transaction by its id in D1: what all kinds share. What differs by kind is in the folders `payouts`,
 * `earnings`, `sweeps` and `withdrawals`.
 */
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
import type { OrderRow } from '../orders/table.ts';
import type { Signed } from '../ports/signer.ts';
import { type Move, returnMove, withdrawalMove } from '../treasury/moves.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { TransactionKind, TransactionRow } from '../treasury/table.ts';
import type { Claims } from './claims.ts';
import { signEarnings } from './earnings/sign.ts';
import { earnedName } from './journal/earnings.ts';
import type { Journal } from './journal/journal.ts';
import type { EntryName } from './journal/moved.ts';
import { signOrderPayment } from './payouts/sign.ts';
import type { Signable, Signing } from './signing.ts';
import { signStray } from './strays/sign.ts';
import { signToken } from './strays/token.ts';
import { signConsolidation, signMovement } from './sweeps/sign.ts';
import { signWithdrawal } from './withdrawals/sign.ts';

/** By id. An id that D1 does not have is absent. */
export function signablesOf(claims: Claims): ReadonlyMap<string, Signable> {
	const { payouts, earnings, movements, consolidations, withdrawals, tokens } = claims;
	const strays = new Map(claims.strays.map((claim) => [claim.row.id, claim]));
	const returns = [...strays.values()].filter(({ row }) => row.kind === 'stray');
	const signables: Signable[] = [
		...payouts.map((claim) => signable(claim.payout, claim.order, (signing) => signOrderPayment(signing, claim))),
		...earnings.map((claim) => ({
			...signable(claim.payout, null, (signing) => signEarnings(signing, claim)),
			names: claim.orderIds.map(earnedName),
		})),
		...movements.map((row) => {
			const order = strays.get(row.id)?.order ?? null;
			return signable(row, order, (signing) => signMovement(signing, row, order));
		}),
		...returns.map((claim) => signable(claim.row, claim.order, (signing) => signStray(signing, claim))),
		...tokens.map((claim) => signable(claim.row, claim.order, (signing) => signToken(signing, claim))),
		...consolidations.map((row) => signable(row, null, (signing) => signConsolidation(signing, row))),
		...withdrawals.map((row) => signable(row, null, (signing) => signWithdrawal(signing, row))),
	];
	return new Map(signables.map((each) => [each.row.id, each]));
}

type MoveOf = (row: TransactionRow, order: OrderRow | null) => Move | null;

/** It pays what deposits on the signer's own node prove, or goes to our own wallets. */
const proven: MoveOf = () => null;

/** Back to the sealed refund address a stray goes by itself. */
const returned: MoveOf = ({ network, toAddress, sweepAsset }, order) =>
	order === null || toAddress === order.refundAddress
		? null
		: returnMove(order.id, network, String(sweepAsset), toAddress);

/** The move of each kind that persons confirm: a kind that is new says it here, or does not compile. */
const MOVE: Readonly<Record<TransactionKind, MoveOf>> = {
	payout: proven,
	refund: proven,
	earnings: proven,
	gas: proven,
	sweep: proven,
	consolidation: proven,
	withdrawal: withdrawalMove,
	stray: returned,
	token: returned,
};

/** `order`: whose payment it is, or at whose address the coins are. */
const signable = (row: Signable['row'], order: OrderRow | null, sign: Signable['sign']): Signable => ({
	row,
	move: MOVE[row.kind](row, order),
	sign,
	names: [
		...(row.payInAddress === null ? [] : [addressName(row.network, row.payInAddress)]),
		...(order === null ? [] : orderNames(order)),
	],
});

export const addressName = (network: NetworkName, address: string): EntryName => `address ${network} ${address}`;

/** An order by its id, and by its pay-in address. */
export const orderNames = ({ id, fromNetwork, payInAddress }: OrderRow): EntryName[] => [
	`order ${id}`,
	addressName(networkNamed(fromNetwork).name, payInAddress),
];

/** If something was signed under this id before, the answer is the same again, whatever D1 says now. */
export async function signOne(
	signing: Signing,
	payoutId: string,
	found: Signable | undefined,
): Promise<Signed | SignerRefusal> {
	const { journal, network } = signing;
	const before = signedBefore(journal, payoutId);
	if (before) return before;
	if (!found) return { kind: 'no-such-transaction' };
	const { kind, orderId } = found.row;
	if (found.row.network !== network) return { kind: 'other-network' };
	if (journal.givenUp.isNoted({ payoutId, orderId: orderId ?? '', kind })) return { kind: 'given-up' };
	const doubted = orderId === null ? signing.restored.otherRefusal() : null;
	const unconfirmed = found.move && signing.unconfirmed(found.move);
	return doubted ?? unconfirmed ?? found.sign(signing);
}

/**
 * The final one of several versions, else the newest. `amount` is only set for what moves between our own wallets: that of a
 * token is of no asset.
 */
function signedBefore(journal: Journal, payoutId: string): Signed | null {
	const movement = journal.sweeps.movement(payoutId);
	const newest = journal.versions.standing(payoutId) ?? movement ?? journal.signatureOf(payoutId);
	if (!newest) return null;
	const { raw, txId } = newest;
	return movement && movement.kind !== 'token' ? { raw, txId, amount: movement.amount } : { raw, txId };
}
