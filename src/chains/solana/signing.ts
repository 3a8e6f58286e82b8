/**
 * Signs for Solana. Only the signer Worker creates one. It sees the chain through its own nodes. The hot wallet pays
 * the fee of every transaction, and keeps the rent of its own account. Stores nothing: the caller passes in what signed
 * transactions may still take from the wallet (reservations.ts). A signed transaction is valid for about a minute, so
 * requests run in parallel where they can.
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { PaymentImpossible } from '../errors.ts';
import type { Reservation } from '../reservations.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState } from '../signing-port.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { accountOf, mintOf } from './assets.ts';
import { freeIn, requireCovered } from './cover.ts';
import { requireDead } from './dead.ts';
import { feeOf, MAX_UNITS, type Rents, rentsOf, unitPrice } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { computeBudget } from './instructions.ts';
import { hotKey, payInAddress, payInKey, type SolanaKey } from './keys.ts';
import { compileMessage, type Instruction, signMessage } from './message.ts';
import { SEEN, solanaRpc } from './node.ts';
import { hasPaid, sentPayments } from './payments-to.ts';
import { type Plan, payoutPlan, sweepPlan, tokenReturnPlan } from './plan.ts';
import { signText } from './prove.ts';
import { rawOf } from './raw.ts';
import { readRecipient, requirePayable, requireRecipient } from './recipient.ts';
import { BLOCKHASH } from './shapes.ts';
import { simulate } from './simulate.ts';
import { requireReturnable } from './sweep.ts';
import { signedBy } from './text-signature.ts';

/** A fifth more units than the simulation used, because the state may have changed when the transaction runs. */
const UNIT_MARGIN = { numerator: 6, denominator: 5 } as const;
const SOL = nativeAsset('Solana');

interface Wallet {
	readonly rpc: JsonRpc;
	readonly hot: SolanaKey;
}

export const solanaSigning: SigningFamily<NetworkOf<'solana'>> = {
	addresses: (_network, seed) => ({
		payInAddress: (index) => payInAddress(seed, index),
		hotAddress: () => hotKey(seed).address,
	}),
	judgeKeys: (_network, _chain, seed) => ({ payIn: '', hot: hotKey(seed).address }),
	otherAddresses: (_network, _chain, { hot }) => ({
		payInAddress() {
			throw new PaymentImpossible('no key of this pay-in address has stated that it is ours');
		},
		hotAddress: () => hot,
	}),
	signer: solanaSigner,
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function solanaSigner(network: NetworkOf<'solana'>, node: NodeConfig, seed: Uint8Array): ChainSigner {
	const rpc = solanaRpc(network, node);
	const hot = hotKey(seed);
	const wallet: Wallet = { rpc, hot };

	return {
		get look() {
			return { paymentsTo: sentPayments(rpc, hot.address) };
		},

		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => finalAmount(rpc, refs, isFinal),

		hasPaid: (txId, payment) => hasPaid(rpc, hot.address, txId, payment),

		sign: (payment, state) => pay(wallet, payment, state, false),

		/** Nothing makes two of its transactions exclude each other, so the earlier one must be dead. */
		async replace(previous, payment, state) {
			await requireDead(rpc, previous.raw);
			const next = await pay(wallet, payment, state, true);
			return { ...next, spends: [...previous.spends, ...next.spends] };
		},

		/**
		 * Sweeps all that the address holds now. If the balance changes after it was read, the sweep may fail. Nothing is
		 * lost, and the next one is planned so that it cannot.
		 */
		async sweep(sweep, { spent }) {
			const { asset, index } = sweep;
			const owner = payInKey(seed, index);
			const account = accountOf(owner.address, asset);
			const [rents, { accounts }] = await Promise.all([rentsOf(rpc), accountsAt(rpc, [account], SEEN)]);
			const [source = null] = accounts;
			const held = mintOf(asset) === null ? source?.lamports : tokenAccount(source)?.amount;
			const plan = sweepPlan({ hot, owner }, sweep, held ?? 0n, rents);
			return { ...(await signPlan(wallet, plan, rents, { spent, isUrgent: false })), amount: plan.swept };
		},

		stating: {
			state: (text, index) => signText(payInKey(seed, index), text),
			isStated: (message, stated) => signedBy({ ...stated, message }) === 'all',
		},

		signReserve: async (text, index) => signText(index === null ? hot : payInKey(seed, index), text),

		async returnToken(what, { spent }) {
			const owner = payInKey(seed, what.index);
			const target = { ...what, address: owner.address };
			const [rents, held] = await Promise.all([rentsOf(rpc), requireReturnable(rpc, target)]);
			const plan = tokenReturnPlan({ hot, owner }, what, held, rents);
			return { ...(await signPlan(wallet, plan, rents, { spent, isUrgent: false })), amount: held.amount };
		},
	};
}

async function pay(
	wallet: Wallet,
	payment: Payment,
	{ spent }: SigningState,
	isUrgent: boolean,
): Promise<SignedTransaction> {
	const { rpc, hot } = wallet;
	requirePayable(payment);
	const [rents, recipient] = await Promise.all([rentsOf(rpc), readRecipient(rpc, payment)]);
	requireRecipient(payment, recipient, rents);
	return signPlan(wallet, payoutPlan(hot, payment, rents), rents, { spent, isUrgent });
}

async function signPlan(
	{ rpc, hot }: Wallet,
	plan: Plan,
	rents: Rents,
	{ spent, isUrgent }: { readonly spent: Iterable<Reservation>; readonly isUrgent: boolean },
): Promise<SignedTransaction> {
	const { asset, amount, keys, instructions, rent } = plan;
	const kind = plan.kind ?? (mintOf(asset) === null ? 'native' : 'token');
	const [price, free] = await Promise.all([
		unitPrice(rpc, kind, writableIn(instructions), isUrgent),
		freeIn(rpc, hot.address, asset, spent),
	]);
	const maxUnits = MAX_UNITS[kind];
	const mostFee = feeOf(keys.length, maxUnits, price) + rent;
	requireCovered(free, { asset, amount, lamports: mostFee + rents.wallet });
	// As late as possible, because the minute of validity starts here. Only the simulation comes after it.
	const { value } = await ask(rpc, BLOCKHASH, 'getLatestBlockhash', { commitment: SEEN });
	const withBudget = (units: number) =>
		compileMessage(hot.address, value.blockhash, [...computeBudget(units, price), ...instructions]);
	const used = await simulate(rpc, withBudget(maxUnits));
	const units = Math.min(maxUnits, Math.ceil((used * UNIT_MARGIN.numerator) / UNIT_MARGIN.denominator));
	const { wire, txId } = signMessage(withBudget(units), keys);
	const fee = feeOf(keys.length, units, price) + rent;
	const lastValidHeight = value.lastValidBlockHeight;
	const taken: [AssetId, bigint][] =
		asset === SOL
			? [[SOL, amount + fee]]
			: [
					[SOL, fee],
					[asset, amount],
				];
	const spends = taken.map(
		([code, units]): Reservation => ({ kind: 'until height', txId, lastValidHeight, asset: code, amount: units }),
	);
	return { raw: rawOf(wire, lastValidHeight), txId, spends, fee };
}

const writableIn = (instructions: readonly Instruction[]): string[] =>
	instructions.flatMap(({ accounts }) => accounts.flatMap(({ address, writable }) => (writable ? [address] : [])));
