/** Monero as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import type { Chain } from '../port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { isMoneroAddress } from './address.ts';
import type { MoneroDaemon } from './daemon.ts';
import { depthOf, heldTransactions } from './depth.ts';
import { typicalFee } from './fees.ts';
import { moneroLook } from './look.ts';
import type { MoneroRpc } from './node.ts';
import type { MoneroNodeConfig } from './node-config.ts';
import { RELISTED_BLOCKS, scan, transfersAbove } from './scan.ts';
import type { Transfer } from './shapes.ts';
import { minorOf } from './subaddress-index.ts';
import { balances, refreshed, unspentOutputs } from './wallet.ts';

const HOT_MINOR = minorOf(-1);

export function moneroChain(network: NetworkOf<'monero'>, node: MoneroNodeConfig, hotAddress: string): Chain {
	const { look, scanning } = moneroLook(network, node, hotAddress);
	const { wallet, daemon } = scanning;
	const asset = nativeAsset(network.name);
	const lock = deepestConfirmations(network.name);

	return {
		...look,
		sequential: false,
		isAddress: isMoneroAddress,

		async depths(refs) {
			const held = await heldTransactions(daemon, txIdsOf(refs));
			return refs.map(({ txId }) => {
				const transaction = held.get(txId);
				return transaction && !transaction.doubleSpent ? transaction.depth : null;
			});
		},

		async costsNow() {
			const fee = { asset, amount: await typicalFee(daemon) };
			return async () => ({ fee });
		},

		async balance() {
			await refreshed(wallet, daemon);
			return (await balances(wallet, false)).unlocked;
		},

		reserve: 'credits',
		spendsDeposits: true,

		holdings: () => holdings(wallet, daemon, lock),

		scan: (cursor) => scan(wallet, daemon, asset, cursor),
	};
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
