/**
 * The text that our wallets sign of reserves: that they hold an address, at a time, in a block, beside debts of a
 * digest. It is one line of printable ASCII. On no network are its bytes, or what a wallet puts in front of them, those of
 * a transaction: each family's `prove.ts` says why. Pure.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { ReserveBlock, ReserveClaim } from '../ports/reserves.ts';

/** Only `reserveText` makes one. */
export type ReserveText = string & { readonly form: 'reserve' };

export interface ReserveFacts extends ReserveClaim {
	/** The deployment's name, or `-`. */
	readonly deployment: string;
	readonly network: NetworkName;
	readonly address: string;
	readonly block: ReserveBlock;
}

const FORM =
	/^Partner Exchange reserve: ([a-z0-9-]{1,32}) debts (\d{1,15}) ([0-9a-f]{64}) at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ): (\w{1,20}) (\w{20,110}) in block (\d{1,15}) (\w{32,66})$/;

/** @throws TypeError where a fact does not have its form: then nothing is signed */
export function reserveText({ deployment, number, debts, at, network, address, block }: ReserveFacts): ReserveText {
	const text = `Partner Exchange reserve: ${deployment} debts ${number} ${debts} at ${at}: ${network} ${address} in block ${block.height} ${block.hash}`;
	if (!FORM.test(text)) throw new TypeError('not the facts of a reserve');
	return text as ReserveText;
}

/** The facts that a text states; null where it is of another form. */
export function readReserveText(text: string): ReserveFacts | null {
	const found = FORM.exec(text);
	if (!found) return null;
	const [, deployment = '', number, debts = '', at = '', network, address = '', height, hash = ''] = found;
	return {
		deployment,
		number: Number(number),
		debts,
		at,
		network: network as NetworkName,
		address,
		block: { height: Number(height), hash },
	};
}
