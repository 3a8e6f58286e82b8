/**
 * Unspent outputs and what they add up to. Anybody may send us small ones by the ten thousand, so no answer depends on how
 * many there are: sums are the node's own, and of lists only the largest part is asked for.
 */
import { fromBaseUnits } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { byAmount } from './coins.ts';
import { ask, askEach } from './node.ts';
import { BALANCE, BALANCES, UNSPENT, type Unspent } from './shapes.ts';

/** Outputs that one answer has at most. Far more than one transaction spends. */
const MAX_COINS = 4_000;
/** Answers that one list takes at most: each leaves out about half of what the one before it left. */
const MAX_ANSWERS = 20;
const MAX_CONFIRMATIONS = 9_999_999;
/** By which the smallest amount that is asked for grows, from the first one on, base units. */
const FIRST_FLOOR = 10_000n;
const FLOOR_STEP = 10n;
const DECIMALS = 8;

export interface Outputs {
	readonly outputs: readonly Unspent[];
	/** False where there are more: then all from some amount on are here, and of the smaller ones some. */
	readonly isComplete: boolean;
}

export interface AmountRange {
	/** Base units. */
	readonly least: bigint;
	readonly most?: bigint | undefined;
	readonly count: number;
}

/** Outputs at all addresses of the wallet that have at least so many confirmations; the largest first. */
export async function largestOutputs(rpc: JsonRpc, leastConfirmations: number, count = MAX_COINS): Promise<Outputs> {
	const found = new Map<string, Unspent>();
	let least = 0n;
	for (let answers = 1; ; answers++) {
		const part = await outputsWithin(rpc, leastConfirmations, { least, count: count + 1 });
		for (const output of part) found.set(outpointOf(output), output);
		const isAll = part.length <= count;
		if (isAll || answers === MAX_ANSWERS)
			return { outputs: sorted(found.values()), isComplete: answers === 1 && isAll };
		// Above the middle one of these: strictly more than before, and past any number of equal ones.
		const middle = sorted(part)[Math.floor(part.length / 2)];
		least = (middle?.amount ?? least) + 1n;
	}
}

/** Any of those with such amounts, so many at most. */
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
 * Outputs at one address with at most so many confirmations, the mempool's included. The node counts before it looks at
 * addresses, so that a limit on the number would let other addresses hide this one's.
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

/** All that is unspent, the mempool's included, base units. */
export async function totalBalance(rpc: JsonRpc): Promise<bigint> {
	const { mine, watchonly } = await ask(rpc, BALANCES, 'getbalances');
	return [mine, watchonly].reduce((sum, kind) => sum + (kind?.trusted ?? 0n) + (kind?.untrusted_pending ?? 0n), 0n);
}

/** All that is unspent and has at least so many confirmations, base units. */
export async function deepBalance(rpc: JsonRpc, leastConfirmations: number): Promise<bigint> {
	// By name: Dash counts the parameters otherwise.
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
