/** Tron as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain, Costs } from '../port.ts';
import { keptFor } from '../rpc/answers.ts';
import { eachOf } from '../rpc/each-of.ts';
import { accountOf, heldBy } from './accounts.ts';
import { isTronAddress } from './address.ts';
import { type BlockPlace, depositDepths } from './depth.ts';
import { costsOf, pricesOf } from './fees.ts';
import { tronLook } from './look.ts';
import { lying, resting } from './lying.ts';
import type { TronNode } from './node.ts';
import { received } from './received.ts';
import { recipientProblem } from './recipient.ts';
import { scan } from './scan.ts';

export function tronChain(network: NetworkOf<'tron'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = tronLook(network, node, hotAddress);
	const { use, params } = scanning;
	/** The last block that a scan has read. Kept in memory only: after a restart the chain scans before it asks for depths. */
	let lastRead: BlockPlace | null = null;
	/** Does a payment of the hot wallet need both judges, as the account said last? Each balance asks it anyway. */
	let needsBoth: boolean | null = null;
	async function hotAccount(from: TronNode) {
		const account = await accountOf(from, hotAddress);
		({ needsBoth } = account);
		return account;
	}

	return {
		...look,
		sequential: false,
		isAddress: isTronAddress,
		recipientProblem: (asset, to) => use((node) => recipientProblem(node, to, asset === params.native)),
		depths: (refs) => use((node) => depositDepths(node, refs, lastRead)),
		/** Prices change by a vote, and the energy of a busy contract every six hours. */
		costsNow: keptFor(MINUTE_MILLISECONDS, async () => {
			const prices = await use(pricesOf);
			const isBoth = needsBoth ?? (await use(hotAccount)).needsBoth;
			const known = new Map<AssetId, Costs>();
			return async (asset) => {
				const asked =
					known.get(asset) ??
					(await use((node) => costsOf(node, prices, { from: hotAddress, asset, needsBoth: isBoth })));
				known.set(asset, asked);
				return asked;
			};
		}),
		balance: (asset) =>
			asset === params.native
				? use(async (node) => (await hotAccount(node)).balance)
				: use((node) => heldBy(node, asset, hotAddress)),

		/** The wallet last: what a sweep brings meanwhile is then counted twice, which the sweep explains, and never missed. */
		holdings: (asset, addresses) =>
			use(async (node) => {
				const lying = await eachOf(addresses, (address) => heldBy(node, asset, address));
				return lying.reduce((sum, amount) => sum + amount, await heldBy(node, asset, hotAddress));
			}),

		lying: (addresses) => use((node) => lying(node, lastRead, addresses)),
		resting: (addresses) => use((node) => resting(node, addresses)),
		received: (txId, address) => use((node) => received(node, txId, address)),
		reserve: 'balance',
		async scan(text, watched, isIdle = false) {
			const { read, ...found } = await use((node) => scan(node, { text, watched, isIdle }));
			lastRead = read;
			return found;
		},
	};
}
