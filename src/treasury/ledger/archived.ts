/** What archived orders add to the sums of the books and of the wallets. Pure. */
import { type Sum, sumOf } from '../../archive/sums.ts';
import { type AssetId, assetOf, isAssetId, isNative } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { TransactionKind } from '../table.ts';
import type { WalletFlow } from './reserve-rules.ts';

interface Balance {
	readonly account: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

const ENTRIES = 'entries ';
const MOVED = 'moved ';
const FEE = 'fee ';

const named = (sums: readonly Sum[], beginning: string) =>
	sums
		.filter(({ what }) => what.startsWith(beginning))
		.map(({ what, asset, amount }) => ({ name: what.slice(beginning.length), asset, amount: BigInt(amount) }));

/** Balances of the ledger's accounts with those of archived orders, by asset and account. */
export function withArchived(balances: readonly Balance[], sums: readonly Sum[]): Balance[] {
	const archived = named(sums, ENTRIES).map(({ name, ...rest }) => ({ account: name, ...rest }));
	const groups = Map.groupBy([...balances, ...archived], ({ account, asset }) => JSON.stringify([asset, account]));
	return [...groups.keys()].toSorted().flatMap((key) => {
		const [first, ...rest] = groups.get(key) ?? [];
		return first ? [{ ...first, amount: rest.reduce((sum, { amount }) => sum + amount, first.amount) }] : [];
	});
}

/** What the chains hold, or lack, because of archived orders: in the terms of `expectedHoldings`. */
export const archivedHoldings = (sums: readonly Sum[]): { readonly asset: AssetId; readonly amount: bigint }[] => [
	...named(sums, `${ENTRIES}wallet`),
	...named(sums, 'unclaimed deposits'),
	...named(sums, 'paid by hand'),
	...named(sums, FEE)
		.filter(({ name }) => name !== 'token sweep')
		.map(({ asset, amount }) => ({ asset, amount: -amount })),
];

/** What archived transactions of a network moved and cost. */
export function archivedFlow(sums: readonly Sum[], network: NetworkName): Pick<WalletFlow, 'moved' | 'fees'> {
	const here = ({ asset }: { readonly asset: AssetId }) => isAssetId(asset) && assetOf(asset).network === network;
	const kind = ({ name, ...rest }: { readonly name: string; readonly asset: AssetId; readonly amount: bigint }) => ({
		...rest,
		kind: name as TransactionKind,
	});
	return {
		moved: named(sums, MOVED).filter(here).map(kind),
		fees: named(sums, FEE)
			.filter(({ name }) => name !== 'token sweep')
			.filter(here)
			.map(kind),
	};
}

/** Archived pay-in addresses of a network that sweeps, in the terms of `addressSums`. */
export function archivedAddresses(sums: readonly Sum[], network: NetworkName, native: AssetId) {
	const here = (beginning: 'deposits' | 'moved sweep') =>
		named(sums, beginning).filter(({ name, asset }) => name === '' && assetOf(asset).network === network);
	const tokenFees = sumOf(sums, 'fee token sweep', native);
	const sweepFees = sumOf(sums, 'fee sweep', native);
	return {
		received: here('deposits'),
		taken: here('moved sweep').map(({ asset, amount }) => ({
			...{ asset, amount },
			fees: isNative(assetOf(asset)) ? sweepFees - tokenFees : 0n,
		})),
		gas: [{ asset: native, amount: sumOf(sums, 'moved gas', native), fees: 0n }],
		sweeps: [{ asset: native, amount: 0n, fees: tokenFees }],
	};
}
