/**
 * The balances of owners of SOL and of each listed token, in one call for each hundred accounts. Nobody here moves what
 * they hold beside that (`unlisted.ts`).
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { type Resting, restingAt } from '../resting.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { accountOf, LISTED, mintOf } from './assets.ts';
import { FINAL, SEEN } from './node.ts';
import { heldIn } from './scan.ts';
import { NO_DETAILS, TIMED_BLOCK } from './shapes.ts';

/**
 * As `Chain.lying`. A frozen account counts nothing, because nobody can move what it holds. `seen`: the slot of the last
 * scan. A node below it may not know yet what a sweep took. @throws ChainUnavailable
 */
export async function lying(
	rpc: JsonRpc,
	seen: number,
	owners: readonly string[],
): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	const { held, slot } = await heldAt(rpc, owners, SEEN);
	if (slot < seen) throw new ChainUnavailable(`the node is at slot ${slot}, but slot ${seen} was already seen`);
	return held;
}

/** As `Chain.resting`, in the last final slot. All is asked in one call, or it would be of several slots. @throws ChainUnavailable */
export async function resting(rpc: JsonRpc, owners: readonly string[]): Promise<Resting> {
	const { held, slot } = await heldAt(rpc, owners, FINAL);
	const { blockhash } = await ask(rpc, TIMED_BLOCK, 'getBlock', slot, NO_DETAILS);
	return restingAt({ height: slot, hash: blockhash }, owners, held);
}

async function heldAt(rpc: JsonRpc, owners: readonly string[], commitment: string) {
	const addresses = LISTED.flatMap((asset) => owners.map((owner) => accountOf(owner, asset)));
	const { accounts, slot } = await accountsAt(rpc, addresses, commitment);
	const held = new Map<AssetId, readonly bigint[]>(
		LISTED.map((asset, at) => [
			asset,
			owners.map((owner, index) => {
				const account = accounts[at * owners.length + index] ?? null;
				if (mintOf(asset) !== null && tokenAccount(account)?.frozen) return 0n;
				return heldIn(account, owner, asset);
			}),
		]),
	);
	return { held, slot };
}
