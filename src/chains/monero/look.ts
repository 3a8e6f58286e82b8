/**
 * Watches Monero through a view-only wallet and that wallet's own monerod. Each poll asks for one list that covers all
 * subaddresses. Holds no spending key.
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Look, Looking } from '../port.ts';
import { isMoneroAddress } from './address.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { type MoneroDaemon, moneroDaemon } from './daemon.ts';
import { spenderOf } from './dead.ts';
import { depthOf, heldTransactions, transactionDepth } from './depth.ts';
import { typicalFee } from './fees.ts';
import { type MoneroRpc, moneroRpc } from './node.ts';
import type { MoneroNodeConfig } from './node-config.ts';
import { decodeRaw } from './raw.ts';
import { registerAddresses } from './register.ts';
import { RELISTED_BLOCKS, transfersAbove } from './scan.ts';
import type { Transfer } from './shapes.ts';
import { minorOf } from './subaddress-index.ts';
import { balances, refreshed, unspentOutputs } from './wallet.ts';

const HOT_MINOR = minorOf(-1);

interface Scanning {
	readonly wallet: MoneroRpc;
	readonly daemon: MoneroDaemon;
	readonly asset: AssetId;
}

export function moneroLook(
	network: NetworkOf<'monero'>,
	node: MoneroNodeConfig,
	hotAddress: string,
): Looking<Scanning> {
	const asset = nativeAsset(network.name);
	const wallet = moneroRpc(node.walletUrl, undefined, node.headers);
	const daemon = moneroDaemon(moneroRpc(node.daemonUrl, undefined, node.headers), network.params.nettype[node.chain]);
	const lock = Math.max(...network.confirmations.map(({ blocks }) => blocks));

	const look: Look = {
		sequential: false,

		isAddress: isMoneroAddress,

		register: (addresses) => registerAddresses(wallet, addresses),

		async depths(refs) {
			const held = await heldTransactions(
				daemon,
				refs.map(({ txId }) => txId),
			);
			return refs.map(({ txId }) => {
				const transaction = held.get(txId);
				return transaction && !transaction.doubleSpent ? transaction.depth : null;
			});
		},

		async costsNow() {
			const fee = { asset, amount: await typicalFee(daemon) };
			return async () => ({ fee });
		},

		broadcast: (raw) => broadcast(wallet, daemon, raw),

		async overtaker(raw) {
			await refreshed(wallet, daemon);
			return spenderOf(wallet, daemon, decodeRaw(raw)?.shared ?? []);
		},

		transactionDepth: (txId) => transactionDepth(daemon, txId),

		async balance() {
			await refreshed(wallet, daemon);
			return (await balances(wallet, false)).unlocked;
		},

		reserve: 'credits',
		spendsDeposits: true,

		holdings: () => holdings(wallet, daemon, lock),

		check: () => checkNodes(node, wallet, daemon, hotAddress),
	};
	return { look, scanning: { wallet, daemon, asset } };
}

/**
 * The sum that blocks hold, minus what our own payments in the mempool took, plus what is paid to us in the mempool.
 * Payments to the hot wallet count only once they are `lock` blocks deep, unless their payer has locked them.
 */
async function holdings(wallet: MoneroRpc, daemon: MoneroDaemon, lock: number): Promise<bigint> {
	const blocks = await refreshed(wallet, daemon);
	const { all } = await balances(wallet, true);
	const frozen = (await unspentOutputs(wallet)).filter((output) => output.frozen);
	const { credits, locked, pending, unread } = await transfersAbove(wallet, daemon, blocks - RELISTED_BLOCKS, blocks);
	if (unread[0]) throw new ChainUnavailable(unread[0]);
	const pooled = [...credits, ...locked].filter(({ type }) => type === 'pool');
	const shallow = credits.filter((each) => isHot(each) && depthOf(blocks, each).confirmations < lock);
	const taken = pending.reduce((sum, { amount, fee }) => sum + amount + fee, 0n);
	return all + sumOf(frozen) + sumOf(pooled) - sumOf(shallow) - taken;
}

const isHot = ({ subaddr_index }: Transfer): boolean => subaddr_index.minor === HOT_MINOR;
