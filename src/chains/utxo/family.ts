/** A UTXO network as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { deepestConfirmations } from '../finality.ts';
import type { Chain, DepositRef, Depth, ObservedDeposit } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf, txidsOf } from '../transaction-ids.ts';
import { isUtxoAddress } from './address.ts';
import { creditAt, creditOf, depthOf, heldTransactions, mempoolAncestors, readHeld } from './depth.ts';
import { feeRate, typicalFee } from './fees.ts';
import { balance, consolidation, holdings, type Wallet } from './holdings.ts';
import { utxoLook } from './look.ts';
import { heightOf, type Listed, listSince } from './scan.ts';
import type { Place } from './shapes.ts';

/**
 * Unconfirmed transactions that one poll asks about, the largest payments first. A flood of dust in the mempool
 * therefore takes a bounded time and hides no deposit: what is left out is seen once it is in a block.
 */
const POOLED_PER_POLL = 1_000;
/**
 * At most this many of the transactions that the mempool does not hold are looked up in blocks. The next poll sees the
 * others.
 */
const ABSENT_PER_POLL = 100;

export function utxoChain(network: NetworkOf<'utxo'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = utxoLook(network, node, hotAddress);
	const { rpc, params, tip } = scanning;
	const asset = nativeAsset(network.name);
	const wallet: Wallet = { rpc, params, hotAddress, least: deepestConfirmations(network.name), tip };

	return {
		...look,
		sequential: false,
		isAddress: (text) => isUtxoAddress(text, params),
		depths: (refs) => depths(rpc, refs),

		async costsNow() {
			const amount = typicalFee(params, await feeRate(rpc, params));
			return async (asset) => ({ fee: { asset, amount } });
		},

		reserve: 'credits',
		spendsDeposits: true,
		balance: () => balance(wallet),
		holdings: () => holdings(wallet),
		consolidation: () => consolidation(wallet),

		async scan(cursor) {
			const best = await tip();
			// The first poll lists all that the wallet ever saw: addresses may have been given out, and the hot wallet
			// filled, before it.
			const { entries, ...listing } = await listSince(rpc, cursor, best);
			const pooled = await pooledPlaces(rpc, pooledCredits(entries));
			// Outputs of our own transactions to the hot wallet are change, also of one that nobody remembers: no reserve.
			const ours = new Set(entries.filter(({ category }) => category === 'send').map(({ txid }) => txid));
			const deposits = entries.flatMap((entry): ObservedDeposit[] => {
				const credit = creditOf(entry);
				if (credit?.address === hotAddress && ours.has(entry.txid)) return [];
				const place = entry.confirmations > 0 ? entry : pooled.get(entry.txid);
				return credit && place ? [{ txId: entry.txid, asset, ...credit, ...depthOf(place) }] : [];
			});
			return { ...listing, deposits, height: best.height, settled: heightOf(listing.cursor) };
		},
	};
}

/**
 * Where the transactions are that the wallet calls unconfirmed. The mempool is asked first, because its answers
 * contain no transaction bytes: strangers decide how many transactions there are.
 */
async function pooledPlaces(rpc: JsonRpc, txIds: readonly string[]): Promise<Map<string, Place>> {
	const pooled = await mempoolAncestors(rpc, txIds);
	const absent = txIds.filter((txId) => !pooled.has(txId)).slice(0, ABSENT_PER_POLL);
	const places = new Map<string, Place>(await heldTransactions(rpc, absent));
	for (const txid of pooled.keys()) places.set(txid, { txid, confirmations: 0 });
	return places;
}

function pooledCredits(entries: readonly Listed[]): string[] {
	const credits = entries.filter((entry) => entry.confirmations === 0 && creditOf(entry));
	const largestFirst = credits.toSorted((a, b) => Number(b.amount - a.amount));
	return txidsOf(largestFirst).slice(0, POOLED_PER_POLL);
}

async function depths(rpc: JsonRpc, refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]> {
	const { found, unreadable } = await readHeld(rpc, txIdsOf(refs));
	return refs.map(({ txId, position }) => {
		const transaction = found.get(txId);
		const immature = transaction && creditAt(transaction, position)?.immature;
		if (transaction) return { ...depthOf(transaction), ...(immature && { immature }) };
		return unreadable.has(txId) ? 'unknown' : null;
	});
}
