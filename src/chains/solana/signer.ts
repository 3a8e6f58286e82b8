/**
 * Keys and signatures for Solana; the signer Worker alone makes one. Sees the chain through its own nodes. The payout
 * wallet is the fee payer of everything, and keeps what its account must hold to stay. Stores nothing: what signed
 * transactions may still take from the wallet comes in as an argument (reservations.ts).
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';
import { ask } from '../answers.ts';
import { type ChainSigner, InsufficientReserve, type SignedTransaction } from '../port.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { accountOf, mintOf, solanaAsset } from './assets.ts';
import { requireCovered } from './cover.ts';
import { feeOf, MAX_UNITS, type Rents, rentsOf, unitPrice } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import {
	closeTokenAccount,
	computeBudget,
	openTokenAccount,
	transferLamports,
	transferTokens,
} from './instructions.ts';
import { hotKey, payInAddress, payInKey, type SolanaKey } from './keys.ts';
import { compileMessage, type Instruction, signMessage } from './message.ts';
import { SEEN, type SolanaNodes, solanaRpc } from './node.ts';
import { rawOf } from './raw.ts';
import { requirePayable, requireRecipient } from './recipient.ts';
import { spentText } from './reservations.ts';
import { BLOCKHASH } from './shapes.ts';
import { simulate } from './simulate.ts';

/** State may have changed when the transaction runs: a fifth more units than the simulation used. */
const UNIT_MARGIN = { numerator: 6, denominator: 5 } as const;
const SOL = nativeAsset('Solana');

/** What is to be signed, without the compute budget that is put in front. */
interface Plan {
	readonly asset: AssetId;
	readonly instructions: readonly Instruction[];
	/** The fee payer's first. */
	readonly keys: readonly SolanaKey[];
	/** Base units that leave the payout wallet. */
	readonly amount: bigint;
	/** Lamports that the payout wallet may have to put into accounts that it opens. */
	readonly rent: bigint;
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function solanaSigner(network: Network, node: SolanaNodes, seed: Uint8Array): ChainSigner {
	if (network.name !== 'Solana') throw new TypeError(`${network.name} is not Solana`);
	const rpc = solanaRpc(node);
	const hot = hotKey(seed);

	async function signPlan(plan: Plan, rents: Rents, spent: ReadonlySet<string>): Promise<SignedTransaction> {
		const { value } = await ask(rpc, BLOCKHASH, 'getLatestBlockhash', { commitment: SEEN });
		const price = await unitPrice(rpc);
		const maxUnits = MAX_UNITS[mintOf(plan.asset) === null ? 'native' : 'token'];
		const withBudget = (units: number) =>
			compileMessage(hot.address, value.blockhash, [...computeBudget(units, price), ...plan.instructions]);
		const most = feeOf(plan.keys.length, maxUnits, price) + plan.rent;
		const need = { asset: plan.asset, amount: plan.amount, lamports: most + rents.wallet };
		await requireCovered(rpc, hot.address, need, spent);
		const used = await simulate(rpc, withBudget(maxUnits));
		const units = Math.min(maxUnits, Math.ceil((used * UNIT_MARGIN.numerator) / UNIT_MARGIN.denominator));
		const { wire, txId } = signMessage(withBudget(units), plan.keys);
		const fee = feeOf(plan.keys.length, units, price) + plan.rent;
		const lastValidHeight = value.lastValidBlockHeight;
		const reserved = (asset: AssetId, amount: bigint) => spentText({ txId, lastValidHeight, asset, amount });
		const spends =
			plan.asset === SOL
				? [reserved(SOL, plan.amount + fee)]
				: [reserved(SOL, fee), ...(plan.amount > 0n ? [reserved(plan.asset, plan.amount)] : [])];
		return { raw: rawOf(wire, lastValidHeight), txId, spends, fee };
	}

	return {
		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => finalAmount(rpc, refs, isFinal),

		async sign(payment, { spent }) {
			requirePayable(payment);
			const { asset, to, amount, id } = payment;
			const rents = await rentsOf(rpc);
			await requireRecipient(rpc, payment, rents);
			const mint = mintOf(asset);
			if (mint === null) {
				const instructions = [transferLamports(hot.address, to, amount, referenceOf(id))];
				return signPlan({ asset, instructions, keys: [hot], amount, rent: 0n }, rents, spent);
			}
			const transfer = { mint, decimals: solanaAsset(asset).decimals, from: hot.address, to, amount };
			const instructions = [openTokenAccount(hot.address, to, mint), transferTokens(transfer, referenceOf(id))];
			return signPlan({ asset, instructions, keys: [hot], amount, rent: rents.tokenAccount }, rents, spent);
		},

		/** All that the address holds now; what comes after the balance was read makes it fail, and nothing is lost. */
		async sweep({ id, asset, index }, { spent }) {
			const owner = payInKey(seed, index);
			const mint = mintOf(asset);
			const { accounts } = await accountsAt(rpc, [accountOf(owner.address, asset)], SEEN);
			const [source = null] = accounts;
			const amount = mint === null ? (source?.lamports ?? 0n) : (tokenAccount(source)?.amount ?? 0n);
			if (amount === 0n) throw new InsufficientReserve(`${owner.address} holds no ${asset}`);
			const keys = [hot, owner];
			const rents = await rentsOf(rpc);
			if (mint === null) {
				const instructions = [transferLamports(owner.address, hot.address, amount, referenceOf(id))];
				return { ...(await signPlan({ asset, instructions, keys, amount: 0n, rent: 0n }, rents, spent)), amount };
			}
			const transfer = { mint, decimals: solanaAsset(asset).decimals, from: owner.address, to: hot.address, amount };
			const instructions = [
				openTokenAccount(hot.address, hot.address, mint),
				transferTokens(transfer, referenceOf(id)),
				closeTokenAccount(owner.address, mint, hot.address),
			];
			const rent = rents.tokenAccount;
			return { ...(await signPlan({ asset, instructions, keys, amount: 0n, rent }, rents, spent)), amount };
		},
	};
}

/**
 * Two payments of one sum to one address within one blockhash would be one transaction, and one of them never made.
 * A hash of our own id, named as an account that nobody reads (Solana Pay's reference), makes them two; unlike a memo
 * it tells a stranger nothing, and unlike a varied fee it never coincides.
 */
const referenceOf = (id: string): string => base58.encode(sha256(new TextEncoder().encode(id)));
