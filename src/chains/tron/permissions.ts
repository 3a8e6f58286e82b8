/**
 * Account permissions (TIP-16): the hot wallet of two judges is an account whose owner permission, and whose one active
 * permission, need both keys. The active one allows transfers of coins and calls of contracts, and nothing else, and
 * payments are signed under it. So no payment can change the permissions.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { RECOVERY_BASE } from '../account-message.ts';
import { SigningBlocked } from '../errors.ts';
import type { TronNode } from './node.ts';
import { ACCOUNT_OR_NONE } from './shapes.ts';
import { JUDGES_PERMISSION } from './transaction.ts';

/** One bit for each kind of contract, the lowest first: `TransferContract` is 1, `TriggerSmartContract` is 31. */
export const OPERATIONS = '02000080'.padEnd(64, '0');
const BOTH = 2;

/** Why the account is not one that needs both keys, and nobody else's; null where it is. @throws ChainUnavailable */
export async function permissionProblem(
	node: TronNode,
	address: string,
	keys: readonly string[],
): Promise<string | null> {
	const account = await node.ask('/wallet/getaccount', ACCOUNT_OR_NONE, { address, visible: true });
	if (account?.address !== address) return `${address} is no account yet`;
	const { owner_permission: owner, active_permission: actives } = account;
	const [active] = actives;
	const needsBoth = (permission: typeof owner): boolean =>
		permission?.threshold === BOTH &&
		permission.keys.length === BOTH &&
		keys.every((key) => permission.keys.some((each) => each.address === key && each.weight === 1));
	if (!needsBoth(owner)) return `the owner permission of ${address} does not need both keys`;
	if (actives.length !== 1 || active?.id !== JUDGES_PERMISSION || !needsBoth(active))
		return `the active permission of ${address} does not need both keys, or is not the only one`;
	return active.operations === OPERATIONS ? null : `the active permission of ${address} allows more than payments`;
}

/** @throws SigningBlocked, ChainUnavailable */
export async function requirePermissions(node: TronNode, address: string, keys: readonly string[]): Promise<void> {
	const problem = await permissionProblem(node, address, keys);
	if (problem) throw new SigningBlocked(`${problem} (book: cosigner, "Tron")`);
}

const RS_BYTES = 64;

/** Would a node take it for a signature by this key? `publicKey`: compressed. */
export function isSignedBy(digest: Uint8Array, signature: Uint8Array | undefined, publicKey: Uint8Array): boolean {
	if (!signature) return false;
	const recovered = Uint8Array.of((signature[RS_BYTES] ?? 0) - RECOVERY_BASE, ...signature.subarray(0, RS_BYTES));
	try {
		return equalBytes(secp256k1.recoverPublicKey(recovered, digest, { prehash: false }), publicKey);
	} catch {
		return false;
	}
}
