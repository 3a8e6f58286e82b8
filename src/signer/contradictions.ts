/** Compares what the signer knows of orders, by its own keys and its journal, with what their rows say. Signs nothing. */
import { networkMode } from '../chains/configuration.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import type { Keys } from './keys.ts';

/** Most orders of one call: an address that the journal does not know is derived. */
const MOST = 5_000;

/** In order; null where nothing speaks against it. @throws RangeError for too many */
export function contradictionsOf(
	journal: Journal,
	keys: Keys,
	env: SignerEnv,
	claims: readonly OrderClaim[],
): (Contradiction | null)[] {
	if (claims.length > MOST) throw new RangeError(`more than ${MOST} orders`);
	return claims.map((claim) => {
		const { id, network, address, toAddress } = claim;
		// It can say less of a network that it does not run.
		if (networkMode(env, network) !== null && !isOurs(journal, keys, claim)) return 'address-not-ours';
		if (journal.addressOrders.isOfAnother(id, network, address)) return 'address-of-other-order';
		const paidTo = journal.recipientOf(id);
		return paidTo !== null && paidTo !== toAddress ? 'paid-to-another' : null;
	});
}

/** With this very index: the signer proves deposits at an address by deriving it again. */
function isOurs(journal: Journal, keys: Keys, { network, address, index }: OrderClaim): boolean {
	if (journal.addresses.indexesOf(network, [address]).get(address) === index) return true;
	return Number.isSafeInteger(index) && index >= 0 && keys.on(network).payInAddress(index) === address;
}
