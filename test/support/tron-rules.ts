/** What a Tron node judges a transaction by, as java-tron does: prices, permissions, and its words of refusal. Pure. */
import { addressOf } from './tron-abi.ts';
import type { Permission, Permissions, SignedTron } from './tron-protobuf.ts';

export const PRICES = {
	energy: 100n,
	bandwidth: 1_000n,
	createAccount: 100_000n,
	createSystem: 1_000_000n,
	multiSign: 1_000_000n,
	permissions: 100_000_000n,
};
/** Solidified are blocks with this many on top. */
export const SOLID_BLOCKS = 19;

/** Of contracts that a new account's active permission allows (java-tron, `ACTIVE_DEFAULT_OPERATIONS`). */
const ALL_OPERATIONS = '7fff1fc0033e'.padEnd(64, '0');

/** As every account has them until it updates them. */
export const ownPermissions = (hash: string): Permissions => {
	const own = { threshold: 1, keys: [{ hash, weight: 1 }] };
	return {
		owner: { ...own, id: 0, name: 'owner', operations: '' },
		actives: [{ ...own, id: 2, name: 'active', operations: ALL_OPERATIONS }],
	};
};

/** Why these signatures do not do (java-tron, `TransactionCapsule.validateSignature`); null where they do. */
export function signatureFault(
	{ kind, signers, permissionId }: SignedTron,
	{ owner, actives }: Permissions,
): string | null {
	const permission = permissionId === 0 ? owner : actives.find(({ id }) => id === permissionId);
	if (!permission) return "permission isn't exit";
	const type = kind ? { TransferContract: 1, TriggerSmartContract: 31, AccountPermissionUpdateContract: 46 }[kind] : 0;
	const byte = Number.parseInt(permission.operations.slice((type >> 3) * 2, (type >> 3) * 2 + 2), 16);
	if (permissionId !== 0 && (byte & (1 << (type % 8))) === 0) return 'Permission denied';
	if (signers.length > permission.keys.length) return 'Signature count is more than key counts of permission';
	if (new Set(signers).size < signers.length) return 'has signed twice';
	const weights = signers.map((hash) => permission.keys.find((key) => key.hash === hash)?.weight ?? 0);
	if (weights.includes(0)) return 'is not contained of permission';
	return weights.reduce((sum, weight) => sum + weight, 0) < permission.threshold ? 'sig error' : null;
}

/** As java-tron prints it: a zero and what is empty are left out. */
export const permissionOf = ({ id, name, threshold, operations, keys }: Permission) => ({
	...(id > 0 && { id }),
	permission_name: name,
	threshold,
	...(operations !== '' && { operations }),
	keys: keys.map(({ hash, weight }) => ({ address: addressOf(hash), weight })),
});

/** A refusal in the node's words. */
export class Refusal extends Error {
	readonly code: string;
	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}
