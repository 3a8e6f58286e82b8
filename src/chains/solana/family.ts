/** Solana as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import type { NetworkOf } from '../../catalog/networks.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain, DepositRef, Depth } from '../port.ts';
import { keptFor } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { accountsAt } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { statusesOf } from './depth.ts';
import { costsNow, rentsOf } from './fees.ts';
import { held, requireSeen, solanaLook } from './look.ts';
import { lying, resting } from './lying.ts';
import { SEEN } from './node.ts';
import { walletProblem } from './recipient.ts';
import { type ScanMemory, scan } from './scan.ts';
import { received, unlistedTokens } from './unlisted.ts';

export function solanaChain(network: NetworkOf<'solana'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = solanaLook(network, node, hotAddress);
	const { rpc, memory } = scanning;
	const rents = keptFor(HOUR_MILLISECONDS, () => rentsOf(rpc));

	return {
		...look,
		sequential: false,
		signaturesExpire: true,
		isAddress: isSolanaAddress,
		async recipientProblem(_asset, to) {
			const { accounts } = await accountsAt(rpc, [to], SEEN);
			return walletProblem(to, accounts[0] ?? null);
		},
		depths: (refs) => depths(rpc, memory, refs),
		costsNow: () => costsNow(rpc, hotAddress, rents),
		/** The whole balance, so that it can be compared with the books. The signer never spends the last 0.00089 SOL. */
		async balance(asset) {
			const [balance = 0n] = await held(rpc, asset, [hotAddress]);
			return balance;
		},
		async holdings(asset, addresses) {
			const balances = await held(rpc, asset, [...new Set([hotAddress, ...addresses])]);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},
		lying: (owners) => lying(rpc, memory.seen, owners),
		resting: (owners) => resting(rpc, owners),
		received: (txId, owner) => received(rpc, txId, owner),
		unlisted: (owner) => unlistedTokens(rpc, owner),
		reserve: 'balance',
		scan: (cursor, watched) => scan(rpc, memory, cursor, watched),
	};
}

async function depths(rpc: JsonRpc, memory: ScanMemory, refs: readonly DepositRef[]): Promise<(Depth | null)[]> {
	const statuses = await statusesOf(rpc, txIdsOf(refs));
	// A missing status means nothing if the node is behind what was already scanned.
	if (refs.some(({ txId }) => !statuses.has(txId))) await requireSeen(rpc, memory);
	return refs.map(({ txId }) => {
		const status = statuses.get(txId);
		return status && !status.failed ? status.depth : null;
	});
}
