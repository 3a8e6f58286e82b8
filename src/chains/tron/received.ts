/**
 * The amounts that a named transaction gave an address. Any contract may write any event, so a token that is not listed
 * is asked what lies there. Nothing else that it says of itself is read.
 */
import { hex } from '@scure/base';
import type { AssetId } from '../../catalog/assets.ts';
import type { Received } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { saidBalance } from './accounts.ts';
import { hashOf, tronAddress } from './address.ts';
import { creditsOf, succeeded, unlistedIn } from './credits.ts';
import { infoOf, isPending } from './depth.ts';
import type { TronNode } from './node.ts';
import { TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';

/** The most tokens of one transaction. */
const MAX_TOKENS = 5;

/** As `Chain.received`. @throws ChainUnavailable */
export async function received(node: TronNode, txId: string, address: string): Promise<Received | null> {
	if (!TRANSACTION_ID.test(txId)) return null;
	const assets = new Map<AssetId, bigint>();
	const transaction = await node.ask('/wallet/gettransactionbyid', TRANSACTION_OR_NONE, { value: txId });
	const info = transaction?.txID === txId ? await infoOf(node, txId) : null;
	if (!transaction || !info)
		return (await isPending(node, txId)) ? { isInBlock: false, assets, tokens: new Map() } : null;
	const to = hashOf(address);
	for (const credit of creditsOf(node.params, transaction, info))
		if (credit.to === to) assets.set(credit.asset, (assets.get(credit.asset) ?? 0n) + credit.amount);
	const others = succeeded(info) ? unlistedIn(node.params, info, to).slice(0, MAX_TOKENS) : [];
	const contracts = others.map((contract) => tronAddress(hex.decode(contract)));
	const held = await eachOf(contracts, (contract) => saidBalance(node, contract, address));
	const said = contracts.map((contract, at) => [contract, held[at] ?? 0n] as const);
	return { isInBlock: true, assets, tokens: new Map(said.filter(([, amount]) => amount > 0n)) };
}
