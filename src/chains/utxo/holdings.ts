/**
 * The balance of a UTXO node's wallet, what it can spend, and what it would join. Sums follow the signer's own rule of
 * what may be spent.
 */
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { ConsolidationQuote } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txidsOf } from '../transaction-ids.ts';
import { scriptOf } from './address.ts';
import { joinable, smallOutputs } from './consolidation.ts';
import { heldTransactions } from './depth.ts';
import { immatureAt } from './hot-wallet.ts';
import type { UtxoParams } from './params.ts';
import { deepBalance, shallowOutputs, totalBalance } from './unspent.ts';

/** Outputs at the hot wallet that are not deep yet and whose origin is looked up, the largest first. */
const MAX_SHALLOW = 1_000;

export interface Wallet {
	readonly rpc: JsonRpc;
	readonly params: UtxoParams;
	readonly hotAddress: string;
	/** Confirmations after which every deposit is final. */
	readonly least: number;
	readonly tip: () => Promise<{ readonly height: number }>;
}

/** Outputs that are deep enough for any deposit, and outputs of our own transactions. */
export async function balance(wallet: Wallet): Promise<bigint> {
	const [deep, atHot] = await Promise.all([deepBalance(wallet.rpc, wallet.least), shallow(wallet)]);
	return deep + atHot.ours;
}

/** Outputs at the hot wallet that are not deep yet, and those of them that our own transactions made, base units. */
async function shallow({
	rpc,
	hotAddress,
	least,
}: Wallet): Promise<{ all: bigint; ours: bigint; isComplete: boolean }> {
	const { outputs, isComplete } = await shallowOutputs(rpc, hotAddress, least - 1);
	const asked = outputs.slice(0, MAX_SHALLOW);
	const known = await heldTransactions(rpc, txidsOf(asked));
	const ours = asked.filter(({ txid }) => known.get(txid)?.fee !== undefined);
	return { all: sumOf(outputs), ours: sumOf(ours), isComplete: isComplete && asked.length === outputs.length };
}

/**
 * A deposit counts as soon as it is seen. A payment to the hot wallet counts once it is deep, which is when it is
 * booked as reserve. Coins that are not spendable yet are ours as well.
 */
export async function holdings(wallet: Wallet): Promise<bigint> {
	const { rpc, hotAddress, least, tip } = wallet;
	const [{ spendable, immature }, atHot] = await Promise.all([totalBalance(rpc), shallow(wallet)]);
	const fresh = immature > 0n ? await immatureAt(rpc, hotAddress, (await tip()).height, least) : 0n;
	if (!atHot.isComplete)
		throw new ChainUnavailable(
			'the hot wallet has too many recent payments to tell ours apart from others; wait for more blocks',
		);
	return spendable + immature - fresh - atHot.all + atHot.ours;
}

export async function consolidation({ rpc, params, hotAddress, least }: Wallet): Promise<ConsolidationQuote | null> {
	const { outputs, rate } = await smallOutputs(rpc, params, least, () => true);
	const hotScript = scriptOf(hotAddress, params);
	const joined =
		hotScript &&
		joinable(outputs, { held: await deepBalance(rpc, least), rate, hotScriptLength: hotScript.length }, params);
	return joined ? { coins: joined.coins.length, amount: joined.amount, fee: joined.fee } : null;
}
