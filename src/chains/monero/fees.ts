/** What a payout costs, in piconero. monerod's price is kept between a floor and a ceiling. */
import type { MoneroDaemon } from './daemon.ts';
import { ask } from './node.ts';
import { FEE_ESTIMATE } from './shapes.ts';

/** Index of `normal` among the four fees that monerod returns. Older versions return a single fee. */
const NORMAL_FEE = 1;
/** Piconero per byte. Regtest's price, where block rewards are large, is between the two. */
const MIN_FEE_PER_BYTE = 20_000n;
const MAX_FEE_PER_BYTE = 10_000_000n;
/** Bytes of a typical payout, two inputs and two outputs, as the wallet itself estimates it. */
const TYPICAL_BYTES = 2_215n;
/** A payout may cost at most this many typical fees, which is enough for some dozen inputs. */
const MAX_TYPICAL_FEES = 8n;
/** And never more than 0.1 XMR, whatever the node estimates. */
const MAX_FEE = 100_000_000_000n;

/** For one payout. @throws ChainUnavailable */
export async function typicalFee({ rpc }: MoneroDaemon): Promise<bigint> {
	const { fee, fees } = await ask(rpc, FEE_ESTIMATE, 'get_fee_estimate');
	const perByte = BigInt(fees?.[NORMAL_FEE] ?? fee);
	if (perByte < MIN_FEE_PER_BYTE) return MIN_FEE_PER_BYTE * TYPICAL_BYTES;
	return (perByte < MAX_FEE_PER_BYTE ? perByte : MAX_FEE_PER_BYTE) * TYPICAL_BYTES;
}

/** The most that one payout may cost now. @throws ChainUnavailable */
export async function maxFee(daemon: MoneroDaemon): Promise<bigint> {
	const most = (await typicalFee(daemon)) * MAX_TYPICAL_FEES;
	return most < MAX_FEE ? most : MAX_FEE;
}
