/**
 * The co-signer as the signer asks it: before a transaction of a co-signed network is on record, the other judge has judged it
 * for itself, has it on record, and has given its signature (book: cosigner).
 *
 * The signer's own signature is made after that, and leaves as ever after the journal has it. So the owner of the co-signer
 * alone has nothing that a network takes, and a crash anywhere leaves either no signature or one transaction that both have:
 * asked again, the co-signer answers with the bytes that it signed first, and the signer approves those.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { addressText, type StatedAddress } from '../chains/address-text.ts';
import { PaymentImpossible } from '../chains/errors.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { ChainSigner, Draft, SigningState } from '../chains/signing-port.ts';
import { LinkError } from '../link/post.ts';
import type { Cosigner, Proofs, Seen } from '../ports/cosigner.ts';
import type { StuckTransaction } from '../ports/signer.ts';
import { refusalPasses, refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { type Claims, claimsOf, NO_CLAIMS } from './claims.ts';
import { textOf } from './journal/cosigner-mark.ts';
import type { Journal } from './journal/journal.ts';
import type { Claim } from './payouts/judge.ts';
import { isRefusal, Refused } from './refusal.ts';
import type { Signing } from './signing.ts';

/** The question for one transaction: with the rows that name it, or with the version that is stuck. */
type About = { readonly payoutId: string; readonly claims: Claims } | StuckTransaction;

async function askAbout(cosigner: Cosigner, signing: Signing, about: About & Seen, draft: string) {
	const { network } = signing;
	if ('txId' in about) return cosigner.bump(network, about, draft);
	const { payoutId, seen } = about;
	const claims = claimsOf(about.claims, payoutId);
	const orderIds = claims.earnings.flatMap((each) => each.orderIds);
	const refusal = orderIds.length > 0 ? await showPayouts(cosigner, signing, orderIds, seen) : null;
	if (refusal) return refusal;
	return cosigner.sign({ network, payoutId, seen, claims, draft, ...proofsFor(signing, claims) });
}

/** Payouts in one call, each of which it looks up at its nodes, and calls before one signature: the rest is shown at the next try. */
const SHOWN_PER_CALL = 20;
const MOST_CALLS = 10;

/** Shows it the payouts of those orders that it does not know. Null once it knows all, or no more can be shown. */
async function showPayouts(
	cosigner: Cosigner,
	signing: Signing,
	orderIds: readonly string[],
	seen: Seen['seen'],
): Promise<SignerRefusal | null> {
	const { network, payoutsOf } = signing;
	let unknown = orderIds;
	let payouts: readonly Claim[] = [];
	for (let calls = 0; calls <= MOST_CALLS; calls++) {
		const claims: Claims = { ...NO_CLAIMS, payouts };
		const proofs = proofsFor(signing, claims);
		const answer = await cosigner.takePayouts({ network, orderIds: unknown, seen, claims, ...proofs });
		if (isRefusal(answer)) return answer;
		if (answer.length === 0 || (calls > 0 && answer.length === unknown.length)) return null;
		unknown = answer;
		payouts = await payoutsOf(unknown.slice(0, SHOWN_PER_CALL));
	}
	throw new Refused({ kind: 'cosigner-waits', detail: `it has to see ${unknown.length} more payouts` });
}

const proofsFor = (signing: Signing, claims: Claims): Proofs => ({
	sweeps: sweepsFor(signing.journal, claims),
	stated: statedFor(signing, claims),
});

/** By this judge's own keys: a row with another address gets no statement of that one. */
const statedFor = ({ signerOn, sealKeys }: Signing, { payouts, strays, movements }: Claims): StatedAddress[] => {
	const ofOrders = [...payouts, ...strays].map(({ order }) => ({
		network: order.fromNetwork,
		index: order.payInIndex,
	}));
	const swept = movements.map(({ network, payInIndex: index }) => ({ network, index }));
	return [...ofOrders, ...swept].flatMap(({ network, index }) => {
		const signer = signerOn(network);
		if (!signer?.stating) return [];
		const stated = { network, index, address: signer.payInAddress(index) };
		const text = addressText({ deployment: sealKeys.deployment, ...stated });
		return [{ ...stated, signature: signer.stating.state(text, index) }];
	});
};

const sweepsFor = (journal: Journal, { payouts }: Claims) =>
	payouts.flatMap(({ order }) =>
		journal.sweeps
			.sweepsAt(order.fromNetwork as NetworkName, order.payInAddress)
			.map((sweep) => ({ ...sweep, amount: sweep.amount.toString() })),
	);

/**
 * The same means, with the co-signer's signature in all that its network's hot wallet signs. `said`: COSIGNER_JOURNAL, by which
 * a person accepts another journal of it.
 */
export function cosigned(signing: Signing, cosigner: Cosigner | null, about: About, said = ''): Signing {
	const { signer, journal } = signing;
	if (!signer.approve || !cosigner) return signing;
	type What = Omit<Draft, 'raw'>;
	const whole = async (raw: string, what: What, state: SigningState) => {
		const before = journal.cosigner.known();
		const seen = journal.cosigner.seen(said);
		const ask = (asked: About) =>
			askAbout(cosigner, signing, { ...asked, seen }, raw).catch((error: unknown) => {
				throw new Refused(unreachable(error));
			});
		const first = await ask(about);
		// The signer's part of an earlier draft is gone: both make another version, where no block can hold that one.
		const isEarlier = !isRefusal(first) && signer.isAnswerTo?.(raw, first.raw) === false;
		const answer = isEarlier ? await ask({ payoutId: about.payoutId, txId: first.txId }) : first;
		if (isRefusal(answer)) throw new Refused(refusedBy(answer));
		const transaction = await approved(signer, { raw: answer.raw, ...what }, state);
		if (!journal.cosigner.note(answer.journal, before, said))
			throw new Refused({ kind: 'cosigner-set-back', detail: textOf(answer.journal) });
		return transaction;
	};
	const both: Pick<ChainSigner, 'sign' | 'replace' | 'consolidate' | 'sweep'> = {
		async sign(payment, state) {
			const { raw } = await signer.sign(payment, state);
			return whole(raw, { payment, previous: null }, state);
		},
		async replace(previous, payment, state, onlyIfRefused) {
			const draft = await signer.replace(previous, payment, state, onlyIfRefused);
			return draft && whole(draft.raw, { payment, previous }, state);
		},
		async consolidate(state) {
			const draft = await signer.consolidate?.(state);
			return draft ? whole(draft.raw, { payment: null, previous: null }, state) : null;
		},
		async sweep(sweep, state) {
			if (!signer.sweep) throw new TypeError('a network that sweeps nothing');
			const { raw } = await signer.sweep(sweep, state);
			return whole(raw, { payment: null, previous: null }, state);
		},
	};
	const { consolidate, sweep, ...others } = both;
	const more = { ...(signer.consolidate && { consolidate }), ...(signer.areSweepsShared && { sweep }) };
	return { ...signing, signer: Object.assign(Object.create(signer), others, more) };
}

/** Approves the draft; `amount` counts for a consolidation alone. @throws TypeError where the family has no second judge, and as `approve` */
export async function approved(signer: ChainSigner, draft: Draft, state: SigningState) {
	if (!signer.approve) throw new TypeError('a network that one judge signs alone');
	const { amount = 0n, ...transaction } = await signer.approve(draft, state);
	if (state.isSigned?.(transaction.txId)) throw new PaymentImpossible('the draft is that of another payment');
	return { ...transaction, amount };
}

/** The refusal where no answer came. @throws what else was thrown */
export function unreachable(error: unknown): SignerRefusal {
	if (!(error instanceof LinkError)) throw error;
	return { kind: 'cosigner-unreachable', detail: error.message };
}

function refusedBy(refusal: SignerRefusal): SignerRefusal {
	if (refusal.kind === 'cosigner-set-back') return refusal;
	const kind = refusalPasses(refusal) === 'by-itself' ? 'cosigner-waits' : 'cosigner-refuses';
	return { kind, detail: refusalText(refusal) };
}

/** The co-signer's own answers to `network check`; none where it is not asked. */
export async function cosignerChecks(cosigner: Cosigner | null, network: NetworkName): Promise<NetworkCheck[]> {
	if (!cosigner) return [];
	const what = 'co-signer';
	try {
		return (await cosigner.check(network)).map((check) => ({ ...check, what: `${what}: ${check.what}` }));
	} catch (error) {
		return [{ what, ok: false, detail: error instanceof Error ? error.message : String(error) }];
	}
}
