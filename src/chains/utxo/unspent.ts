/**
 * Unspent outputs and their sums. Anybody can send us tens of thousands of small outputs, so no answer grows with their
 * number: the node computes the sums, and lists contain only the largest outputs.
 */
import { fromBaseUnits } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { byAmount } from './coins.ts';
import { ask, askEach } from './node.ts';
import { BALANCE, BALANCES, UNSPENT, type Unspent } from './shapes.ts';

/** Largest number of outputs in one answer. Far more than one transaction spends. */
const MAX_COINS = 4_000;
/**
 * Largest number of requests for one list. Each leaves out about half of the outputs that the one before it returned.
 */
const MAX_ANSWERS = 20;
const MAX_CONFIRMATIONS = 9_999_999;
/** The first lower bound above zero, base units, and the factor by which it grows. */
const FIRST_FLOOR = 10_000n;
const FLOOR_STEP = 10n;
const DECIMALS = 8;

export interface Outputs {
	readonly outputs: readonly Unspent[];
	/** False where there are more. Then all outputs above some amount are here, and only some of the smaller ones. */
	readonly isComplete: boolean;
}

export interface AmountRange {
	/** Base units. */
	readonly least: bigint;
	readonly most?: bigint | undefined;
	readonly count: number;
}

/** Outputs at all addresses of the wallet with at least so many confirmations, the largest first. */
export async function largestOutputs(rpc: JsonRpc, leastConfirmations: number, count = MAX_COINS): Promise<Outputs> {
	const found = new Map<string, Unspent>();
	let least = 0n;
	for (let answers = 1; ; answers++) {
		const part = await outputsWithin(rpc, leastConfirmations, { least, count: count + 1 });
		for (const output of part) found.set(outpointOf(output), output);
		const isAll = part.length <= count;
		if (isAll || answers === MAX_ANSWERS)
			return { outputs: sorted(found.values()), isComplete: answers === 1 && isAll };
		// Continue above the median. That is always a higher amount than before, even where many outputs are equal.
		const middle = sorted(part)[Math.floor(part.length / 2)];
		least = (middle?.amount ?? least) + 1n;
	}
}

/** Any outputs with amounts in this range, at most `count` of them. */
export const outputsWithin = (
	rpc: JsonRpc,
	leastConfirmations: number,
	{ least, most, count }: AmountRange,
): Promise<Unspent[]> =>
	ask(rpc, UNSPENT, 'listunspent', leastConfirmations, MAX_CONFIRMATIONS, [], true, {
		minimumAmount: fromBaseUnits(least, DECIMALS),
		...(most !== undefined && { maximumAmount: fromBaseUnits(most, DECIMALS) }),
		maximumCount: count,
	});

/**
 * Outputs at one address with at most so many confirmations, the mempool included. No limit on their number is sent:
 * the node applies it before it filters by address, so outputs at other addresses could hide these.
 */
export async function shallowOutputs(rpc: JsonRpc, address: string, mostConfirmations: number): Promise<Outputs> {
	for (let least = 0n; ; least = least === 0n ? FIRST_FLOOR : least * FLOOR_STEP) {
		const options = { minimumAmount: fromBaseUnits(least, DECIMALS) };
		try {
			const found = await ask(rpc, UNSPENT, 'listunspent', 0, mostConfirmations, [address], true, options);
			return { outputs: sorted(found), isComplete: least === 0n };
		} catch (error) {
			if (!(error instanceof ChainUnavailable && error.tooLarge)) throw error;
		}
	}
}

/** The whole balance, the mempool included, base units; `immature`: what the chain does not let anybody spend yet. */
export async function totalBalance(rpc: JsonRpc): Promise<{ spendable: bigint; immature: bigint }> {
	const { mine, watchonly } = await ask(rpc, BALANCES, 'getbalances');
	const kinds = [mine, watchonly].flatMap((kind) => kind ?? []);
	return {
		spendable: kinds.reduce((sum, { trusted, untrusted_pending }) => sum + trusted + untrusted_pending, 0n),
		immature: kinds.reduce((sum, kind) => sum + kind.immature, 0n),
	};
}

/** The balance with at least so many confirmations, base units. */
export async function deepBalance(rpc: JsonRpc, leastConfirmations: number): Promise<bigint> {
	// Named parameters, because Dash orders them differently.
	const params = { dummy: '*', minconf: leastConfirmations, include_watchonly: true };
	const [balance] = await askEach(rpc, BALANCE, [{ method: 'getbalance', params }]);
	if (balance === null || balance === undefined) throw new ChainUnavailable('getbalance: no answer');
	return balance;
}

export const outpointOf = ({ txid, vout }: Pick<Unspent, 'txid' | 'vout'>): string => `${txid}:${vout}`;

const sorted = (outputs: Iterable<Unspent>): Unspent[] =>
	[...outputs]
		.map((output) => ({ ...output, outpoint: outpointOf(output) }))
		.toSorted(byAmount)
		.map(({ outpoint: _, ...output }) => output);
