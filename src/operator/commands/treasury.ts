/** `treasury show`: of every asset what the hot wallet holds, what of it is owed, and what is free. */
import { type AssetId, allAssets, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { offeredAssets, offeredNetworks } from '../../chains/configuration.ts';
import { amountsByAsset, fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { isoTime } from '../../platform/time.ts';
import type { Funds } from '../../ports/chain-agent.ts';
import { lastArrivals, type ReserveEntry, reserveByOrigin } from '../../treasury/ledger/reserve-store.ts';
import { owedToPartners } from '../../treasury/ledger/store.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { blockedReason, stopText, waitingReason } from '../../treasury/transactions/stop-reason.ts';
import { lastWithdrawals, withdrawnByAddress } from '../../treasury/transactions/withdrawal.ts';
import type { Context, RunOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { movedRows } from '../reserves/moved.ts';
import { NOT_ASKED, type WaysOut, waysOut } from '../reserves/ways-out.ts';
import type { treasury as topic } from '../topics/treasury.ts';

/** How many of the last withdrawals and arrivals are shown. */
const SHOWN = 20;

export const showTreasury: RunOf<typeof topic, 'show'> = async (context) => {
	const { env, db } = context;
	const networks = offeredNetworks(env);
	const offered = offeredAssets(env);
	const [earnings, reserve, sent, withdrawals, arrivals, funds, ways] = await Promise.all([
		...([owedToPartners(db), reserveByOrigin(db), withdrawnByAddress(db)] as const),
		...([lastWithdrawals(db, SHOWN), lastArrivals(db, SHOWN)] as const),
		Promise.all(networks.map((network) => fundsOn(context, network))),
		Promise.all(networks.map((network) => waysOut(context, network))),
	]);
	const [reserves, withdrawn] = [amountsByAsset(reserve), amountsByAsset(sent)];
	const nameOf = (asset: AssetId, address: string) => nameIn(ways[networks.indexOf(assetOf(asset).network)], address);
	const fundsOf: Partial<Record<AssetId, Funds>> = Object.assign({}, ...funds);
	return {
		assets: allAssets()
			.filter(({ code }) => offered.includes(code))
			.map(({ code }) => {
				const coins = (units: bigint | undefined) => fromBaseUnits(units ?? 0n, assetOf(code).decimals);
				const known = fundsOf[code];
				return {
					asset: code,
					// Null where the network does not answer now.
					held: known ? coins(known.held) : null,
					owed: known ? coins(known.owed) : null,
					earnings: coins(earnings[code]),
					free: known ? coins(freeOf(known, earnings[code])) : null,
					reserve: coins(reserves.get(code)),
					withdrawn: coins(withdrawn.get(code)),
				};
			}),
		addresses: networks.flatMap((network, i) => addressRecords(network, ways[i] ?? NOT_ASKED)),
		nowhere: nowhereText(networks.filter((_, i) => isNotSet(ways[i] ?? NOT_ASKED))),
		moved: movedRows(sent, reserve, nameOf),
		withdrawals: withdrawals.map(withdrawalRecord),
		arrivals: arrivals.map(arrivalRecord),
	};
};

/** Base units that nobody is owed; negative where coins are missing. */
export const freeOf = ({ held, owed }: Funds, earnings = 0n): bigint => held - owed - earnings;

export const withdrawalRecord = (row: TransactionRow) => {
	const { orderId: _, kind: __, ...line } = transactionLine(row);
	const { toAddress, plannedAt } = row;
	const stopped = blockedReason(row) ?? waitingReason(row);
	return { ...line, toAddress, plannedAt: isoTime(plannedAt), held: stopped && stopText(stopped) };
};

const arrivalRecord = ({ at, asset, amount, txId, returnedFrom }: ReserveEntry) => ({
	at: isoTime(at),
	asset,
	amount: fromBaseUnits(BigInt(amount), assetOf(asset).decimals),
	from: returnedFrom,
	txId,
});

/** The name of an address; of one that is not configured the address itself. */
function nameIn(found: WaysOut | undefined, address: string): string {
	const addresses = found && 'addresses' in found ? found.addresses : [];
	return addresses.find((each) => each.address === address)?.name ?? address;
}

interface AddressRecord {
	readonly network: NetworkName;
	readonly name: string | null;
	readonly address: string | null;
	readonly capUsd: string | null;
	readonly usedUsd: string | null;
	readonly reason: string | null;
}

/** A line for each address, and one where what the signer has is wrong. */
function addressRecords(network: NetworkName, found: WaysOut): AddressRecord[] {
	if ('addresses' in found)
		return found.addresses.map(({ name, address, capCents, usedCents }) => ({
			network,
			name,
			address,
			capUsd: capCents === null ? null : usdOfCents(capCents),
			usedUsd: usdOfCents(usedCents),
			reason: null,
		}));
	const none = { name: null, address: null, capUsd: null, usedUsd: null };
	return found.isSet ? [{ network, ...none, reason: found.refused }] : [];
}

const isNotSet = (found: WaysOut): boolean => 'refused' in found && !found.isSet;

/** One line for all networks whose variable is not set. */
function nowhereText(networks: readonly NetworkName[]): string | null {
	if (networks.length === 0) return null;
	return `from ${networks.join(', ')}: the signer’s WITHDRAW_TO_<NETWORK> names the addresses, as in cold=ADDRESS, kraken=ADDRESS/5000`;
}

async function fundsOn({ env }: Context, network: NetworkName): Promise<Partial<Record<AssetId, Funds>>> {
	const assets = offeredAssets(env).filter((code) => assetOf(code).network === network);
	try {
		return await objectNamed(env, env.CHAIN_AGENT, network).funds(network, assets);
	} catch (error) {
		logError('funds_not_read', error, { network });
		return {};
	}
}
