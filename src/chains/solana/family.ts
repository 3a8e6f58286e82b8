/**
 * Solana as the service sees it. Holds no key. Watches what accounts hold, a hundred to a question: owners for SOL,
 * their token accounts for tokens; only where one holds more than is on record its history is opened (history.ts).
 * A deposit is seen at `confirmed` and final at `finalized`; the cursor is the slot of the last look, and only tells
 * when a node has fallen behind.
 *
 * The record must be whole: `known` names everything that was ever credited to an address and is still there.
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Chain, ChainFamily, WatchedAddress } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import { type Account, accountsAt, tokenAccount } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf, mintOf, positionOf } from './assets.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { statusesOf, transactionDepth } from './depth.ts';
import { likelyFee, rentsOf } from './fees.ts';
import { SEEN, solanaRpc } from './node.ts';
import { SWEEP_SIGNATURES, sweepQuotes } from './quote.ts';
import { explain, type Grown, type Memory } from './scan.ts';
import { SLOT } from './shapes.ts';

const SOL = nativeAsset('Solana');
/** A node this many slots behind the last look, a minute, is not asked further; nearer ones are waited for. */
const MAX_SLOTS_BEHIND = 150;

export const solanaFamily: ChainFamily<NetworkOf<'solana'>> = {
	isAddress: isSolanaAddress,
	chain: solanaChain,
};

export function solanaChain(network: NetworkOf<'solana'>, node: NodeConfig, hotAddress: string): Chain {
	const rpc = solanaRpc(network, node);
	const memory: Memory = { barren: new Set(), credited: new Set(), deep: new Map() };
	/** Slot of the last scan. A memory only: who starts anew scans before he asks for depths. */
	let seen = 0;

	/** What each owner holds of an asset. */
	async function held(asset: AssetId, owners: readonly string[]): Promise<bigint[]> {
		const addresses = owners.map((owner) => accountOf(owner, asset));
		const { accounts } = await accountsAt(rpc, addresses, SEEN);
		return owners.map((owner, at) => heldIn(accounts[at] ?? null, owner, asset));
	}

	return {
		sequential: false,
		signaturesExpire: true,
		isAddress: isSolanaAddress,

		/** Nothing to name to the node; but an address is shown only while a node of the right cluster answers. */
		async register() {
			await accountsAt(rpc, [hotAddress], SEEN);
		},

		async scan(cursor, watched) {
			const open = [...openAccounts(await watched('in turn'))];
			const { accounts, slot } = await accountsAt(
				rpc,
				open.map(([account]) => account),
				SEEN,
			);
			const from = cursor === null ? slot : slotOf(cursor);
			if (from - slot > MAX_SLOTS_BEHIND)
				throw new ChainUnavailable(`the node is ${from - slot} slots behind what it said before`);
			seen = from;
			// The next node of a pool, perhaps: soon it is as far as it was.
			if (slot < from) return { deposits: [], cursor: String(from), height: slot };

			const balances = new Map(
				open.map(([account, { address, asset }], at) => [account, heldIn(accounts[at] ?? null, address, asset)]),
			);
			const suspects = grownAmong(open, balances).map(({ owner }) => owner);
			// Of those that are named in turn dust is known as a sum alone.
			const whole = suspects.length === 0 ? [] : [...openAccounts(await watched(suspects))];
			const grown = grownAmong(whole, balances);
			// Begins elsewhere each time, so that where there are too many each has its turn.
			const first = grown.length === 0 ? 0 : slot % grown.length;
			const credits = await explain(rpc, [...grown.slice(first), ...grown.slice(0, first)], memory);
			const statuses = await statusesOf(
				rpc,
				credits.map(({ txId }) => txId),
			);
			const deposits = credits.flatMap(({ txId, owner, asset, amount }) => {
				const status = statuses.get(txId);
				if (!status || status.failed) return [];
				return [{ txId, position: positionOf(asset), address: owner, asset, amount, ...status.depth }];
			});
			return { deposits, cursor: String(slot), height: slot };
		},

		async depths(refs) {
			const statuses = await statusesOf(
				rpc,
				refs.map(({ txId }) => txId),
			);
			// Of what is missing, a node that is behind what was scanned may only not know yet.
			const isMissing = refs.some(({ txId }) => !statuses.has(txId));
			const slot = isMissing ? await ask(rpc, SLOT, 'getSlot', { commitment: SEEN }) : seen;
			if (slot < seen) throw new ChainUnavailable(`the node is at slot ${slot}, and ${seen} was seen before`);
			return refs.map(({ txId }) => {
				const status = statuses.get(txId);
				return status && !status.failed ? status.depth : null;
			});
		},

		/** A recipient of tokens may lack the account for them, whose rent we then pay. */
		async feeEstimate(asset) {
			if (mintOf(asset) === null)
				return { asset: SOL, amount: await likelyFee(rpc, { kind: 'native', signatures: 1 }) };
			const { tokenAccount: rent } = await rentsOf(rpc);
			return { asset: SOL, amount: rent + (await likelyFee(rpc, { kind: 'token', signatures: 1 })) };
		},

		/** The quote of a token counts with the rent of its recipient's account, so no recipient takes more than that. */
		async houseCosts(asset) {
			const kind = mintOf(asset) === null ? 'native' : 'token';
			return { deposit: await likelyFee(rpc, { kind, signatures: SWEEP_SIGNATURES }), recipient: 0n };
		},

		broadcast: (raw) => broadcast(rpc, raw),

		transactionDepth: (txId) => transactionDepth(rpc, txId),

		/** All of it, so that it compares with the books; the last 0.00089 SOL stay, which the signer never spends. */
		async balance(asset) {
			const [balance = 0n] = await held(asset, [hotAddress]);
			return balance;
		},

		async holdings(asset, addresses) {
			const balances = await held(asset, [...new Set([hotAddress, ...addresses])]);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},

		reserve: 'balance',

		sweeping: { feePayer: 'wallet', quote: (targets) => sweepQuotes(rpc, hotAddress, targets) },

		check: () => checkNodes(network, node, hotAddress),
	};
}

/** Base units; what is not his, or of another mint, is nothing. */
function heldIn(account: Account | null, owner: string, asset: AssetId): bigint {
	const mint = mintOf(asset);
	if (mint === null) return account?.lamports ?? 0n;
	const tokens = tokenAccount(account);
	return tokens?.mint === mint && tokens.owner === owner ? tokens.amount : 0n;
}

/** Those that hold more than is on record. `held`: by account; of others nothing is known. */
const grownAmong = (open: readonly (readonly [string, WatchedAddress])[], held: ReadonlyMap<string, bigint>): Grown[] =>
	open.flatMap(([account, { address, asset, known, swept }]): Grown[] => {
		const sum = known.reduce((total, { amount }) => total + amount, 0n);
		const unexplained = (held.get(account) ?? 0n) + swept - sum;
		const txIds = new Set(known.map(({ txId }) => txId));
		return held.has(account) && unexplained > 0n ? [{ account, owner: address, asset, known: txIds, unexplained }] : [];
	});

/** By account, one entry each however often it is watched. */
function openAccounts(watched: readonly WatchedAddress[]): Map<string, WatchedAddress> {
	const open = new Map<string, WatchedAddress>();
	for (const { address, asset, known, swept } of watched) {
		if (!isSolanaAddress(address)) continue;
		const account = accountOf(address, asset);
		const before = open.get(account)?.known ?? [];
		open.set(account, { address, asset, swept, known: [...before, ...known.filter((ref) => ref.asset === asset)] });
	}
	return open;
}

function slotOf(cursor: string): number {
	if (!/^\d{1,13}$/.test(cursor)) throw new TypeError(`not a cursor of this family: ${cursor}`);
	return Number(cursor);
}
