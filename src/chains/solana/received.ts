/** The amounts that a named transaction gave an owner: listed assets by balances, and what lies in accounts of others. */
import type { AssetId } from '../../catalog/assets.ts';
import type { Received } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { LISTED } from './assets.ts';
import { accountKeys, creditOf } from './credits.ts';
import { statusesOf, transactionsOf } from './depth.ts';
import { SEEN } from './node.ts';
import { unlistedTokens } from './unlisted.ts';

/** As `Chain.received`. @throws ChainUnavailable */
export async function received(rpc: JsonRpc, txId: string, owner: string): Promise<Received | null> {
	const status = (await statusesOf(rpc, [txId])).get(txId);
	if (!status) return null;
	const assets = new Map<AssetId, bigint>();
	const tokens = new Map<string, bigint>();
	const [transaction] = await transactionsOf(rpc, [txId], SEEN);
	if (!transaction || status.failed) return { isInBlock: status.depth.height !== null, assets, tokens };
	for (const asset of LISTED) {
		const amount = creditOf(transaction, owner, asset);
		if (amount > 0n) assets.set(asset, amount);
	}
	const touched = new Set(accountKeys(transaction));
	for (const { token, account, amount } of await unlistedTokens(rpc, owner))
		if (touched.has(account)) tokens.set(token, (tokens.get(token) ?? 0n) + amount);
	return { isInBlock: true, assets, tokens };
}
