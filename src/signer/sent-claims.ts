/** Rows of D1 that say that something was signed, against what the journal has. Signs nothing. */
import { networkMode } from '../chains/configuration.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import { type ClaimAnswer, MOST_CLAIMS, type SentClaim } from '../treasury/sent-claim.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import { type SignedTerms, signedTerms } from './journal/signed-terms.ts';
import type { Volumes } from './journal/volumes.ts';
import type { Keys } from './keys.ts';

/**
 * In order. `forgottenUntil`: what was signed before may be forgotten; null where nothing is. A row says by itself when
 * it was signed: after a loss it may lie about that, and `ledger check` tells the number of such rows.
 * @throws RangeError for too many; what `Volumes.ask` throws
 */
export async function answerClaims(
	storage: DurableObjectStorage,
	volumes: Volumes,
	forgottenUntil: number | null,
	claims: readonly SentClaim[],
): Promise<ClaimAnswer[]> {
	if (claims.length > MOST_CLAIMS) throw new RangeError(`more than ${MOST_CLAIMS} transactions`);
	const terms = signedTerms(storage, claims);
	// In the same turn: nothing moves in between.
	const moved = await volumes.answers(
		claims,
		({ id }) => [`payout ${id}`],
		(volume, asked) => volume.terms(asked),
	);
	return claims.map((claim, i) => {
		const signed = terms[i]?.kind ? terms[i] : moved[i];
		if (signed?.kind) return judge(claim, signed);
		const isOlder = forgottenUntil !== null && claim.signedAt !== null && claim.signedAt <= forgottenUntil;
		return isOlder ? 'older' : 'unsigned';
	});
}

function judge(claim: SentClaim, { kind, network, asset, amount, isVersion }: SignedTerms): ClaimAnswer {
	const isSame =
		kind === claim.kind &&
		network === claim.network &&
		(asset ?? claim.asset) === claim.asset &&
		(amount ?? claim.amount) === claim.amount;
	if (!isSame) return 'other-terms';
	return isVersion ? null : 'other-transaction';
}

/** Compares what the signer knows of orders, by its own keys and its journal, with what their rows say. Signs nothing. */
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
