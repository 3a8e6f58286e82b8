/** Compares what the signer knows of orders, by its own keys and its journal, with what their rows say. Signs nothing. */
import { networkMode } from '../chains/configuration.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import type { Volumes } from './journal/volumes.ts';
import type { Keys } from './keys.ts';

interface Comparing {
	readonly journal: Journal;
	readonly keys: Keys;
	readonly env: SignerEnv;
	readonly volumes: Volumes;
}

/** Most orders of one call: an address that the journal does not know is derived. */
const MOST = 5_000;

/** In order; null where nothing speaks against it. @throws RangeError for too many; what `Volumes.ask` throws */
export async function contradictionsOf(
	{ journal, keys, env, volumes }: Comparing,
	claims: readonly OrderClaim[],
): Promise<(Contradiction | null)[]> {
	if (claims.length > MOST) throw new RangeError(`more than ${MOST} orders`);
	const here = claims.map((claim) => {
		// It can say less of a network that it does not run.
		if (networkMode(env, claim.network) !== null && !isOurs(journal, keys, claim)) return 'address-not-ours';
		return journal.addressOrders.contradictionOf(claim);
	});
	// In the same turn: nothing moves in between.
	const moved = await volumes.answers(
		claims,
		({ id, network, address }) => [`order ${id}`, `address ${network} ${address}`],
		(volume, asked) => volume.contradictions(asked),
	);
	return here.map((contradiction, i) => contradiction ?? moved[i] ?? null);
}

/** With this very index: the signer proves deposits at an address by deriving it again. */
function isOurs(journal: Journal, keys: Keys, { network, address, index }: OrderClaim): boolean {
	if (journal.addresses.indexesOf(network, [address]).get(address) === index) return true;
	return Number.isSafeInteger(index) && index >= 0 && keys.on(network).payInAddress(index) === address;
}
