/**
 * The likely and the highest cost of a payout, in piconero. monerod's price is kept between a floor and a ceiling. Each
 * coin that a payout spends makes it some 700 bytes larger, so the limit is one for each byte.
 */
import { greater, lesser } from '../../money/units.ts';
import type { MoneroDaemon } from './daemon.ts';
import { ask } from './node.ts';
import type { FeeLimit } from './policy.ts';
import { FEE_ESTIMATE } from './shapes.ts';

/** Index of `normal` among the four fees that monerod returns. Older versions return a single fee. */
const NORMAL_FEE = 1;
/** Piconero per byte. Regtest's price, where block rewards are large, is between the two. */
const MIN_FEE_PER_BYTE = 20_000n;
const MAX_FEE_PER_BYTE = 10_000_000n;
/** Bytes of a typical payout, two inputs and two outputs, as the wallet itself estimates it. */
const TYPICAL_BYTES = 2_215n;
/**
 * A payout may pay this many times monerod's price, because the wallet may have read it at another block. The price of the
 * next priority is four times as high.
 */
const MAX_TIMES_PRICE = 3n;
/** Whatever the node estimates, a payout costs at most 0.1 XMR, or one part in 50 of the amount if that is more. */
const MAX_FEE = 100_000_000_000n;
const MAX_SHARE = 50n;

/** The cost of a payout with a typical number of inputs. @throws ChainUnavailable */
export const typicalFee = async (daemon: MoneroDaemon): Promise<bigint> => (await pricePerByte(daemon)) * TYPICAL_BYTES;

/** The highest cost of a payout of `amount` now. @throws ChainUnavailable */
export async function feeLimit(daemon: MoneroDaemon, amount: bigint): Promise<FeeLimit> {
	return { perByte: (await pricePerByte(daemon)) * MAX_TIMES_PRICE, most: greater(amount / MAX_SHARE, MAX_FEE) };
}

async function pricePerByte({ rpc }: MoneroDaemon): Promise<bigint> {
	const { fee, fees } = await ask(rpc, FEE_ESTIMATE, 'get_fee_estimate');
	return lesser(MAX_FEE_PER_BYTE, greater(MIN_FEE_PER_BYTE, BigInt(fees?.[NORMAL_FEE] ?? fee)));
}
