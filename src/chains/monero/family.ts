/**
 * Monero as the API Worker watches it: what everybody sees of it (`look.ts`), the deposits that it finds with the view key
 * (`reading.ts`), and what the signer's wallets say of the coins.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain } from '../port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import type { Watching } from '../watching-port.ts';
import { isMoneroAddress } from './address.ts';
import { holdings, resting, sorter, spendable } from './coins.ts';
import { heldTransactions, spenderOf } from './depth.ts';
import { typicalFee } from './fees.ts';
import { moneroLook } from './look.ts';
import { wholeProof } from './prove.ts';
import { decodeRaw } from './raw.ts';
import { list, RELISTED_BLOCKS, readCursor } from './scan.ts';
import { moneroWatch } from './watch.ts';

export function moneroChain(
	network: NetworkOf<'monero'>,
	node: NodeConfig,
	hotAddress: string,
	watching: Watching,
): Chain {
	const walletCoins: Watching['walletCoins'] = (since) => watching.walletCoins(since);
	const { look, scanning: daemon } = moneroLook(network, node);
	const asset = nativeAsset(network.name);
	const watch = moneroWatch(daemon, watching, hotAddress);
	const sorted = sorter(walletCoins);

	return {
		...look,
		overtaker: async (raw) => spenderOf(daemon, (await walletCoins(0)).sent, decodeRaw(raw)?.shared ?? []),
		register: (addresses) => watch.register(addresses),
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
		balance: async () => spendable(daemon, await walletCoins(Number.MAX_SAFE_INTEGER)),
		reserve: 'credits',
		spendsDeposits: true,
		async holdings() {
			const wallet = await walletCoins(Number.MAX_SAFE_INTEGER);
			const { progress, pooled } = await watch.read(null);
			const recent = watch.kept().above(progress.blocks - RELISTED_BLOCKS, []);
			const { foreign } = await sorted([...recent, ...(pooled ?? [])]);
			return holdings(daemon, wallet, progress, { foreign, pooled });
		},
		resting: async () => resting(daemon, await walletCoins(Number.MAX_SAFE_INTEGER), hotAddress),
		wholeProof: async (proof) => wholeProof(proof, (await walletCoins(Number.MAX_SAFE_INTEGER)).coins),
		async scan(text) {
			const cursor = readCursor(text);
			const { progress, pooled } = await watch.read(text);
			return list({ asset, kept: watch.kept(), pooled: pooled ?? [], sorted }, cursor, progress);
		},
	};
}
