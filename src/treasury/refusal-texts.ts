/** Longer texts of the signer's refusals, with the command that is right then. Pure. */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { whereToLook } from '../chains/explorer.ts';
import { fromBaseUnits } from '../money/units.ts';

export interface Backup {
	/** Null where the journal was lost without a backup. */
	readonly backupAt: number | null;
}

/** The name to give `restored paid`: the transaction where one of the payment's kind is planned, else the order. */
interface Bookable {
	readonly book: string;
}

/** The journal's knowledge of it; the database may have been set back to before that. */
export interface PaidWith extends Pick<Bookable, 'book'> {
	readonly txId: string;
}

/** `what`: what is paid already. */
export const paidWithText = (what: string, { book, txId }: PaidWith): string =>
	`${what} already, by ${txId}: the database was set back, or somebody changed its rows; ` +
	`\`${paidCommand({ book }, txId)}\` books that payment`;

export interface PaidBefore {
	/** As in `Bookable`; null where another amount is planned, so that the payment may be another order's. */
	readonly book: string | null;
	readonly network: NetworkName;
	readonly asset: AssetId;
	readonly amount: string;
	readonly txId: string;
}

export type UnreadOrder = Unread & Bookable & { readonly orderId: string };

export interface Settlement {
	readonly payoutId: string;
	readonly orderId: string;
}

export const giveUpWith = ({ payoutId, orderId }: Settlement): string =>
	`take it back with \`payout give-up ${payoutId} --reason R\`, then send the deposit back with \`order refund ${orderId}\``;

export interface Unread {
	readonly network: NetworkName;
	readonly address: string;
	/** Why the network cannot tell. */
	readonly detail: string;
}

export const forgotten = ({ backupAt }: Backup): string =>
	backupAt === null
		? 'the journal of the signer was lost or set back'
		: `the signer knows nothing that was sent after its backup of ${new Date(backupAt).toISOString()}`;

export const paidCommand = ({ book }: Bookable, txId: string): string =>
	`restored paid ${book} --tx-id ${txId} --reason R`;

const unknownPaymentText = ({ network, asset, amount, txId }: Omit<PaidBefore, 'book'>): string =>
	`${network} shows ${txId}, which the signer does not know and which paid this order's address ` +
	`${fromBaseUnits(BigInt(amount), assetOf(asset).decimals)} ${asset}`;

export type StrayPaidBefore = Omit<PaidBefore, 'book'> & { readonly orderId: string };

/** Nothing tells a return of before from another payment of ours to that address, so a person does. */
export const strayPaidText = ({ orderId, ...paid }: StrayPaidBefore): string =>
	`${unknownPaymentText(paid)}: if it was this return, \`order return-stray ${orderId} ${paid.asset} --tx-id ${paid.txId} --reason R\` ` +
	`books it; if it paid something else, with T for it \`order return-stray ${orderId} ${paid.asset} --not T --reason R\` sends the stray back`;

export const paidBeforeText = ({ book, ...paid }: PaidBefore): string =>
	`${unknownPaymentText(paid)}: ` +
	(book === null
		? '`restored show` says whether it is of this order, and what to do'
		: `\`${paidCommand({ book }, paid.txId)}\` books it`);

/** A payment of before to a partner, or to the operator's own address. */
export interface OwnPayment {
	readonly network: NetworkName;
	readonly asset: AssetId;
	readonly amount: bigint;
	readonly txId: string;
}

const amountOf = ({ asset, amount }: OwnPayment): string => fromBaseUnits(amount, assetOf(asset).decimals);

const ownPaymentText = (paid: OwnPayment, whom: string): string =>
	`${paid.network} shows ${paid.txId}, which the signer does not know and which paid ${whom} ` +
	`${amountOf(paid)} ${paid.asset}`;

/** Who has not looked may pay again, so what is printed is refused until a person adds to it. */
export const elseLooked = (confirm: string): string =>
	`else \`${confirm}\` with \`--looked\`, once you have looked there and nothing was sent`;

/** Who is wrong about this one pays again, so it cannot be run as it is printed. */
const ELSE_NOT = 'else, with T for it, `restored confirm --own --not T`';

export const paidPartnerText = ({ partnerId, ...paid }: OwnPayment & { readonly partnerId: string }): string =>
	`${ownPaymentText(paid, `partner ${partnerId}`)}: if it paid earnings, ` +
	`\`earnings pay-out ${partnerId} --tx-id ${paid.txId}\` books it, ${ELSE_NOT}`;

/** The refusal of a withdrawal that no row is planned for. */
export const paidWithdrawalText = ({ name, ...paid }: OwnPayment & { readonly name: string }): string =>
	`${ownPaymentText(paid, 'your own address')}: if that was a withdrawal, ` +
	`\`treasury withdraw ${paid.asset} --amount ${amountOf(paid)} --to ${name} --tx-id ${paid.txId}\` books it, ${ELSE_NOT}`;

/** `id`: of what is planned, or was sent before the backup and does not go on. */
export const paidRowText = ({ id, ...paid }: OwnPayment & { readonly id: string }): string =>
	`${ownPaymentText(paid, `the recipient of transaction ${id}`)}: if it is that one, or a later version of it, ` +
	`\`${paidCommand({ book: id }, paid.txId)}\` books it, ${ELSE_NOT}`;

export const unreadRowText = ({ id, network, address, detail }: Unread & { readonly id: string }): string =>
	`whether transaction ${id}, or a later version of it, was sent meanwhile, ${network} cannot tell (${detail}): ` +
	`${whereToLook(network, address)}; if it was, \`${paidCommand({ book: id }, 'T')}\`, ` +
	elseLooked('restored confirm --own');

export const unreadPartnerText = ({ partnerId, network, address, detail }: Unread & { readonly partnerId: string }) =>
	`whether partner ${partnerId} was paid meanwhile, ${network} cannot tell (${detail}): ` +
	`${whereToLook(network, address)}; if it was, \`earnings pay-out ${partnerId} --tx-id T\`, ` +
	elseLooked('restored confirm --own');

export const unreadText = ({ network, address, detail, orderId, ...row }: UnreadOrder): string =>
	`whether this order was paid before, ${network} cannot tell (${detail}): ${whereToLook(network, address)}; ` +
	`if it was, \`${paidCommand(row, 'T')}\`, ${elseLooked(`restored confirm ${orderId}`)}`;
