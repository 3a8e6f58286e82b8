/**
 * Signs for Solana. Only the signer Worker creates one. It sees the chain through its own nodes. The hot wallet pays
 * the fee of every transaction, and keeps the rent of its own account. Stores nothing: the caller passes in what signed
 * transactions may still take from the wallet (reservations.ts). A signed transaction is valid for about a minute, so
 * requests run in parallel where they can.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { PaymentImpossible } from '../errors.ts';
import type { Judges } from '../judge-keys.ts';
import type { ChainSigner, SignedTransaction, SigningFamily, SigningState, Sweep } from '../signing-port.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { approve, drafting } from './approve.ts';
import { accountOf, mintOf } from './assets.ts';
import { requireDead } from './dead.ts';
import { rentsOf } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotAddress, hotKey, payInAddress, payInKey, type SolanaKey } from './keys.ts';
import { type Made, make, makePayment, signedAs, type Wallet } from './made.ts';
import { signMessage } from './message.ts';
import { SEEN, solanaRpc } from './node.ts';
import { hasPaid, sentPayments } from './payments-to.ts';
import { sweepPlan, sweptOf, tokenReturnPlan } from './plan.ts';
import { signText } from './prove.ts';
import { rawOf } from './raw.ts';
import { judgeText, type SharedKey, sharedKey } from './shared-key.ts';
import { requireReturnable } from './sweep.ts';
import { signedBy } from './text-signature.ts';

export const solanaSigning: SigningFamily<NetworkOf<'solana'>> = {
	addresses: (seed) => ({ payInAddress: (index) => payInAddress(seed, index), hotAddress: () => hotAddress(seed) }),
	judgeKeys: (seed, _network, _chain, isCosigned) => ({
		payIn: '',
		hot: isCosigned ? judgeText(seed) : hotAddress(seed),
	}),
	otherAddresses: ({ hot }) => ({ payInAddress: notStated, hotAddress: () => hot }),
	signer: (network, node, seed, { judges }) => solanaSigner(network, node, seed, judges),
};

function notStated(): never {
	throw new PaymentImpossible('no key of this pay-in address has stated that it is ours');
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function solanaSigner(
	network: NetworkOf<'solana'>,
	node: NodeConfig,
	seed: Uint8Array,
	judges?: Judges,
): ChainSigner {
	const rpc = solanaRpc(network, node);
	const shared = judges?.isCosigned ? sharedKey(seed, judges) : null;
	const hot = shared?.address ?? hotAddress(seed);
	const wallet: Wallet = { rpc, hot, isShared: shared !== null };
	const drafts = shared && drafting(shared);
	const finish: Finish = drafts?.draft ?? ((made, { owner } = {}) => signedBySeed(seed, made, owner));

	return {
		get look() {
			return { paymentsTo: sentPayments(rpc, hot) };
		},
		payInAddress: shared && judges?.role === 'cosigner' ? notStated : (index) => payInAddress(seed, index),
		hotAddress: () => hot,
		finalAmount: (refs, isFinal) => finalAmount(rpc, refs, isFinal),
		hasPaid: (txId, payment) => hasPaid(rpc, hot, txId, payment),
		stating: {
			state: (text, index) => signText(payInKey(seed, index), text),
			isStated: (message, stated) => signedBy({ ...stated, message }) === 'all',
		},
		sign: async (payment, { spent }) => finish(await makePayment(wallet, payment, { spent, isUrgent: false })),
		/** Nothing makes two of its transactions exclude each other, so the earlier one must be dead. */
		async replace(previous, payment, { spent }) {
			await requireDead(rpc, previous.raw);
			const next = finish(await makePayment(wallet, payment, { spent, isUrgent: true }));
			// A draft reserves nothing yet.
			return drafts ? next : { ...next, spends: [...previous.spends, ...next.spends] };
		},
		async sweep(sweep, state) {
			const owner = payInKey(seed, sweep.index);
			const { made, amount } = await makeSweep(wallet, owner.address, sweep, state);
			return { ...finish(made, { owner, amount }), amount };
		},
		...(shared && drafts && judges
			? signingTogether(wallet, seed, shared, { drafts, role: judges.role })
			: signingAlone(wallet, seed, finish)),
	};
}

/** Signs it; where two judges pay, makes a draft of it. `owner`: the pay-in key that signs beside the hot wallet. */
type Finish = (made: Made, more?: { readonly owner?: SolanaKey; readonly amount?: bigint }) => SignedTransaction;

function signedBySeed(seed: Uint8Array, made: Made, owner: SolanaKey | undefined): SignedTransaction {
	const { wire, txId } = signMessage(made.message, [hotKey(seed), ...(owner ? [owner] : [])]);
	return signedAs(made, txId, rawOf(wire, made.lastValidHeight), made.lastValidHeight);
}

const signingAlone = (wallet: Wallet, seed: Uint8Array, finish: Finish): Partial<ChainSigner> => ({
	signReserve: async (text, index) => signText(index === null ? hotKey(seed) : payInKey(seed, index), text),
	async returnToken(what, { spent }) {
		const { rpc, hot } = wallet;
		const owner = payInKey(seed, what.index);
		const target = { ...what, address: owner.address };
		const [rents, held] = await Promise.all([rentsOf(rpc), requireReturnable(rpc, target)]);
		const plan = tokenReturnPlan({ hot, owner: owner.address }, what, held, rents);
		const made = await make(wallet, plan, rents, { spent, isUrgent: false });
		return { ...finish(made, { owner }), amount: held.amount };
	},
});

/** A token that is not listed is not returned: the co-signer judges no such return. */
const signingTogether = (
	wallet: Wallet,
	seed: Uint8Array,
	shared: SharedKey,
	{ drafts, role }: Pick<Judges, 'role'> & { readonly drafts: ReturnType<typeof drafting> },
): Partial<ChainSigner> => ({
	/** The hot wallet has none: a signature of both takes a commitment of the signer's first. */
	signReserve: async (text, index) =>
		role === 'signer' && index !== null ? signText(payInKey(seed, index), text) : null,
	areSweepsShared: true,
	isAnswerTo: drafts.isAnswerTo,
	approve: role === 'signer' ? drafts.approve : (asked) => approve(wallet, shared, asked),
});

/**
 * Sweeps all that the address holds now. If the balance changes after it was read, the sweep may fail. Nothing is
 * lost, and the next one is planned so that it cannot.
 */
async function makeSweep(wallet: Wallet, owner: string, sweep: Sweep, { spent }: SigningState) {
	const { rpc, hot } = wallet;
	const account = accountOf(owner, sweep.asset);
	const [rents, { accounts }] = await Promise.all([rentsOf(rpc), accountsAt(rpc, [account], SEEN)]);
	const [source = null] = accounts;
	const held = mintOf(sweep.asset) === null ? source?.lamports : tokenAccount(source)?.amount;
	const amount = sweptOf({ owner }, sweep, held ?? 0n, rents);
	const plan = sweepPlan({ hot, owner }, sweep, amount, rents);
	return { made: await make(wallet, plan, rents, { spent, isUrgent: false }), amount };
}
