/**
 * The one transaction that makes an account need both judges. With a wrong key in it the account is lost: no
 * Worker has this code, and `npm run guard` asks both judges first.
 */
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { addressBytes } from './address.ts';
import { OPERATIONS } from './permissions.ts';
import { bytes, type Frame, JUDGES_PERMISSION, number, rawOf } from './transaction.ts';

const [OWNER, ACTIVE] = [0, 2];
const BOTH = 2n;
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

interface Permission {
	readonly type: number;
	readonly id: number;
	readonly name: string;
	readonly operations: Uint8Array;
}

const permission = ({ type, id, name, operations }: Permission, keys: readonly string[]): Uint8Array =>
	concatBytes(
		number(1, BigInt(type)),
		number(2, BigInt(id)),
		bytes(3, text(name)),
		number(4, BOTH),
		...(operations.length > 0 ? [bytes(6, operations)] : []),
		...keys.map((key) => bytes(7, concatBytes(bytes(1, addressBytes(key)), number(2, 1n)))),
	);

/** `AccountPermissionUpdateContract`. `keys`: the addresses of both judges' keys. */
export function rawPermissionUpdate(account: string, keys: readonly string[], frame: Frame): Uint8Array {
	const body = concatBytes(
		bytes(1, addressBytes(account)),
		bytes(2, permission({ type: OWNER, id: 0, name: 'owner', operations: new Uint8Array() }, keys)),
		bytes(
			4,
			permission({ type: ACTIVE, id: JUDGES_PERMISSION, name: 'payments', operations: hex.decode(OPERATIONS) }, keys),
		),
	);
	return rawOf({ type: 46, name: 'AccountPermissionUpdateContract', body }, frame, 0n);
}
