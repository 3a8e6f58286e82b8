/**
 * Makes a transaction of the hot wallet that lacks its signatures. The judge that approves a draft makes it again, with what its
 * maker chose, by its own node. For the signer.
 */
import { base64 } from '@scure/base';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { ChainUnavailable, InsufficientReserve, PaymentImpossible, SigningBlocked } from '../errors.ts';
import type { Reservation } from '../reservations.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Payment, SignedTransaction } from '../signing-port.ts';
import { mintOf } from './assets.ts';
import { freeIn, requireCovered } from './cover.ts';
import { feeOf, MAX_UNITS, type Rents, rentsOf, unitPrice } from './fees.ts';
import { computeBudget } from './instructions.ts';
import { compileMessage, type Instruction, type Message, unsignedWire } from './message.ts';
import type { Chosen } from './message-reader.ts';
import { FINAL, SEEN } from './node.ts';
import { type Plan, payoutPlan } from './plan.ts';
import { readRecipient, requirePayable, requireRecipient } from './recipient.ts';
import { BLOCKHASH, SIMULATION } from './shapes.ts';

/** A fifth more units than the simulation used, because the state may have changed when the transaction runs. */
const UNIT_MARGIN = { numerator: 6, denominator: 5 } as const;
/** Another node may have other prices: a draft may offer twice what this one asks. */
const MOST_TIMES = 2n;
const SOL = nativeAsset('Solana');

export interface Wallet {
	readonly rpc: JsonRpc;
	/** The hot wallet's address. */
	readonly hot: string;
	/** Does another judge make its transactions again, by a node that may be behind? It must know the blockhash. */
	readonly isShared: boolean;
}

export interface Made {
	readonly message: Message;
	readonly lastValidHeight: number;
	/** Lamports, at most. */
	readonly fee: bigint;
	/** Base units that leave the hot wallet. */
	readonly taken: readonly (readonly [AssetId, bigint])[];
}

export interface Making {
	/** Reservations of what was signed before. */
	readonly spent: Iterable<Reservation>;
	/** Has the payment expired before? */
	readonly isUrgent: boolean;
	/** The choices of a draft's maker; absent where they are made here. */
	readonly chosen?: Chosen;
}

/** @throws PaymentImpossible, InsufficientReserve, SigningBlocked, ChainUnavailable */
export async function makePayment(wallet: Wallet, payment: Payment, making: Making): Promise<Made> {
	const { rpc, hot } = wallet;
	requirePayable(payment);
	const [rents, recipient] = await Promise.all([rentsOf(rpc), readRecipient(rpc, payment)]);
	requireRecipient(payment, recipient, rents);
	return make(wallet, payoutPlan(hot, payment, rents), rents, making);
}

/** As `makePayment`. */
export async function make({ rpc, hot, isShared }: Wallet, plan: Plan, rents: Rents, making: Making): Promise<Made> {
	const { asset, amount, owner, instructions, rent } = plan;
	const { spent, isUrgent, chosen } = making;
	const kind = plan.kind ?? (mintOf(asset) === null ? 'native' : 'token');
	const [asked, free] = await Promise.all([
		unitPrice(rpc, kind, writableIn(instructions), isUrgent),
		freeIn(rpc, hot, asset, spent),
	]);
	const price = chosen?.price ?? asked;
	if (price > MOST_TIMES * asked)
		throw new SigningBlocked(`the draft offers ${price} micro-lamports a unit, and the node asks ${asked}`);
	const signatures = owner === undefined ? 1 : 2;
	const maxUnits = MAX_UNITS[kind];
	const mostFee = feeOf(signatures, maxUnits, price) + rent;
	requireCovered(free, { asset, amount, lamports: mostFee + rents.wallet });
	const withBudget = (blockhash: string, units: number) =>
		compileMessage(hot, blockhash, [...computeBudget(units, price), ...instructions]);
	// As late as possible, because the minute of validity starts here. Only the simulation comes after it.
	const latest = async (commitment: string) => (await ask(rpc, BLOCKHASH, 'getLatestBlockhash', { commitment })).value;
	const own = chosen ? null : await latest(isShared ? FINAL : SEEN);
	const blockhash = own?.blockhash ?? chosen?.blockhash ?? '';
	const used = await simulate(rpc, withBudget(blockhash, chosen?.units ?? maxUnits));
	const units =
		chosen?.units ?? Math.min(maxUnits, Math.ceil((used * UNIT_MARGIN.numerator) / UNIT_MARGIN.denominator));
	if (units > maxUnits) throw new PaymentImpossible(`the draft may use ${units} units`);
	const fee = feeOf(signatures, units, price) + rent;
	// The node knows a draft's blockhash, so a newer one is valid for longer.
	const { lastValidBlockHeight: lastValidHeight } = own ?? (await latest(SEEN));
	const taken: [AssetId, bigint][] =
		asset === SOL
			? [[SOL, amount + fee]]
			: [
					[SOL, fee],
					[asset, amount],
				];
	return { message: withBudget(blockhash, units), lastValidHeight, fee, taken };
}

/** With its reservations. `txId`: as the journal has it. */
export function signedAs({ taken, fee }: Made, txId: string, raw: string, lastValidHeight: number): SignedTransaction {
	const spends = taken.map(
		([asset, amount]): Reservation => ({ kind: 'until height', txId, lastValidHeight, asset, amount }),
	);
	return { raw, txId, spends, fee };
}

const writableIn = (instructions: readonly Instruction[]): string[] =>
	instructions.flatMap(({ accounts }) => accounts.flatMap(({ address, writable }) => (writable ? [address] : [])));

/** The node has not seen the blockhash yet, or has already dropped it. */
const STALE = /BlockhashNotFound/;
const SHORT = /InsufficientFunds|insufficient (funds|lamports)/;
/** Lines of a program's log that a reason quotes. */
const QUOTED_LINES = 3;
/** Characters of the whole reason. */
const MAX_REASON = 500;

/**
 * Asks a node what it would do. Zeros stand for its signatures: nobody can send that. Returns the units that it used.
 * @throws PaymentImpossible, InsufficientReserve, ChainUnavailable
 */
async function simulate(rpc: JsonRpc, message: Message): Promise<number> {
	const options = { encoding: 'base64', sigVerify: false, commitment: SEEN };
	const wire = base64.encode(unsignedWire(message));
	const { value } = await ask(rpc, SIMULATION, 'simulateTransaction', wire, options);
	if (value.err === null) return Number(value.unitsConsumed ?? 0n);
	const logs = value.logs ?? [];
	const reason = `${JSON.stringify(value.err)} ${logs.slice(-QUOTED_LINES).join('; ')}`.slice(0, MAX_REASON);
	if (STALE.test(reason)) throw new ChainUnavailable(`simulateTransaction: ${reason}`);
	if (SHORT.test(reason)) throw new InsufficientReserve(reason);
	throw new PaymentImpossible(reason);
}
