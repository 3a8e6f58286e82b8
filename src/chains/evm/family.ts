/** An EVM network as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { unlessUnavailable } from '../errors.ts';
import type { Chain, DepositRef, Depth } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { spendable, spendableOfEach } from './balances.ts';
import { depositDepths } from './deposit-depths.ts';
import { requireHead } from './depth.ts';
import { contractOf } from './erc20.ts';
import { costsNow, KeptGas } from './fees.ts';
import { InternalDeposits } from './internal.ts';
import { evmLook, held } from './look.ts';
import { lying, resting } from './lying.ts';
import { nonceOf } from './next.ts';
import type { EvmRpc } from './node.ts';
import { received } from './received.ts';
import { recipientProblem } from './recipient.ts';
import { type Scanner, scan } from './scan.ts';

export function evmChain(network: NetworkOf<'evm'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = evmLook(network, node, hotAddress);
	const { rpc } = scanning;
	const internals = new InternalDeposits(rpc);
	const gas = new KeptGas();

	return {
		...look,
		sequential: true,
		nonceOf,
		isAddress: isEvmAddress,
		recipientProblem: (_asset, to) => recipientProblem(rpc, to),
		depths: (refs) => depths(scanning, internals, refs),
		costsNow: () => costsNow(rpc, hotAddress, gas),
		async balance(asset) {
			await rpc.requireAsset(asset);
			return spendable(rpc, contractOf(rpc.params, asset), hotAddress);
		},
		reserves: (assets) => reserves(rpc, hotAddress, assets),
		async holdings(asset, addresses) {
			const balances = await held(rpc, asset, [hotAddress, ...addresses]);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},
		lying: (addresses) => lying(rpc, addresses),
		resting: (addresses) => resting(rpc, addresses),
		received: (txId, address) => received(rpc, txId, address),
		reserve: 'balance',
		scan: (cursor, watched) => scan(scanning, cursor, watched),
	};
}

/** As `Chain.reserves`: a token that is not what the catalog means does not hide the others. @throws ChainUnavailable */
async function reserves(
	rpc: EvmRpc,
	hotAddress: string,
	assets: readonly AssetId[],
): Promise<ReadonlyMap<AssetId, bigint>> {
	const tokens: { readonly asset: AssetId; readonly contract: string }[] = [];
	for (const asset of assets) {
		const contract = contractOf(rpc.params, asset);
		if (contract && (await rpc.requireAsset(asset).then(() => true, unlessUnavailable)))
			tokens.push({ asset, contract });
	}
	const contracts = tokens.map(({ contract }) => contract);
	const [coins = null, ...held] = await spendableOfEach(rpc, hotAddress, contracts);
	const found = new Map<AssetId, bigint>(coins === null ? [] : [[rpc.params.native, coins]]);
	for (const [at, { asset }] of tokens.entries()) {
		const amount = held[at] ?? null;
		if (amount !== null) found.set(asset, amount);
	}
	return found;
}

async function depths(
	{ rpc, memory }: Scanner,
	internals: InternalDeposits,
	refs: readonly DepositRef[],
): Promise<(Depth | null | 'unknown')[]> {
	const found = await depositDepths(rpc, internals, refs);
	// A node that is behind the last scan may not know the missing deposits yet.
	if (found.includes(null)) await requireHead(rpc, memory.seen);
	return found;
}
