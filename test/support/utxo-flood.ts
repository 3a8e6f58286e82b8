/**
 * Many small outputs to one address, as a stranger sends them: with their own key, in few transactions, in one block.
 */
import { createHash } from 'node:crypto';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { signedTransaction } from '../../src/chains/utxo/transaction.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import type { Litecoind } from './litecoind.ts';

/** More than two base units per virtual byte of the largest standard transaction. */
const FEE = 200_000n;

export interface Flood {
	readonly transactions: number;
	/** Of each transaction; about 2 900 fit a standard one. */
	readonly outputs: number;
	/** Base units of each output. */
	readonly amount: bigint;
	/** In a block, as a miner may take what no node relays. */
	readonly mined?: true;
}

/** Leaves the transactions in the mempool, unless they are to be mined. */
export async function flood(
	node: Litecoind,
	address: string,
	{ transactions, outputs, amount, mined }: Flood,
): Promise<void> {
	const params = utxoParams(NETWORKS.Litecoin, 'regtest');
	const stranger = utxoKeys(createHash('sha512').update('stranger').digest(), params).hot;
	const script = scriptOf(address, params);
	if (!script) throw new TypeError(address);
	const needed = BigInt(outputs) * amount + FEE;
	const funding: string[] = [];
	for (let i = 0; i < transactions; i++)
		funding.push(String(await node.rpc('sendtoaddress', stranger.address, fromBaseUnits(needed, 8))));
	await node.mine(1);
	for (const txId of funding) {
		const { details } = (await node.rpc('gettransaction', txId)) as { details: { vout: number; address: string }[] };
		const vout = details.find((detail) => detail.address === stranger.address)?.vout ?? -1;
		const { raw } = signedTransaction(
			[{ txId, vout, amount: needed, key: stranger }],
			Array.from({ length: outputs }, () => ({ script, amount })),
			false,
		);
		if (mined) await node.rpc('generateblock', await node.rpc('getnewaddress'), [raw]);
		else await node.rpc('sendrawtransaction', raw);
	}
	await node.rpc('syncwithvalidationinterfacequeue');
}
