/**
 * `treasury withdraw`: plans a withdrawal of coins that nobody is owed, and answers at once. The service signs and
 * sends it on the path of every transaction. The signer decides where it may go. Each asset has one withdrawal under way
 * at a time, so that a call that is repeated because its answer was lost withdraws nothing twice.
 */
import { writeAudit } from '../../audit/log.ts';
import { type Asset, assetOf, isNative } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import { networkMode } from '../../chains/configuration.ts';
import { type Decimal, decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { WithdrawalAddress } from '../../ports/signer.ts';
import { networkReport, usdPrice } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { owedToPartners } from '../../treasury/ledger/store.ts';
import { withdrawalMove } from '../../treasury/moves.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { planWithdrawal, unfinishedWithdrawal } from '../../treasury/transactions/withdrawal.ts';
import { wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { unitsOf } from '../orders/record.ts';
import { idOf, unconfirmed } from '../persons.ts';
import { planReserves } from '../reserves/plan.ts';
import { hasRoom, waysOut } from '../reserves/ways-out.ts';
import { currentSettings } from '../settings/changes.ts';
import type { treasury as topic } from '../topics/treasury.ts';
import { bookUnattributed, returned } from './adjust.ts';
import { bookWithdrawal } from './book-withdrawal.ts';
import { freeOf, showTreasury, withdrawalRecord } from './treasury.ts';

const withdraw: RunOf<typeof topic, 'withdraw'> = async (context, input) => {
	const { env, db, now } = context;
	const asset = assetOf(input.asset);
	const { code, network } = asset;
	const amount = unitsOf(input.amount, asset);
	if (isFailure(amount)) return amount;
	if (!networkMode(env, network)) return fail(409, `this deployment does not run ${network}`);
	const to = await addressNamed(context, network, input.to);
	if (isFailure(to)) return to;
	const { txId } = input;
	if (txId !== undefined) return bookWithdrawal(context, asset, { amount, toAddress: to.address, txId });
	if (!isSent(await currentSettings(context), asset))
		return fail(409, `payouts of ${code} are switched off, so nothing leaves: see asset list and network list`);
	const unfinished = await unfinishedWithdrawal(db, code);
	if (unfinished) return underWay(unfinished);
	const worth = await affordable(context, asset, amount);
	if (isFailure(worth)) return worth;
	const above = aboveCap(to, usdCents(worth));
	if (above) return above;
	const id = idOf(context, 'withdrawal');
	const withdrawal = { id, asset: code, toAddress: to.address, amount, usdCents: usdCents(worth) };
	const problem = await unconfirmed(context, [withdrawalMove({ ...withdrawal, amount: amount.toString() })]);
	if (problem) return problem;
	try {
		const changes = { asset: code, amount: amount.toString(), address: to.address };
		const audit = writeAudit(context, { command: 'treasury withdraw', subject: id, changes });
		await planWithdrawal(db, withdrawal, now, [audit]);
	} catch (error) {
		logError('withdrawal_not_written', error, { payoutId: id });
	}
	// D1's answer may be lost, and another call may have come first: the stored row says which.
	const stored = await unfinishedWithdrawal(db, code);
	if (!stored) return fail(503, 'the withdrawal was not written; check treasury show, then run it again');
	if (stored.id !== id) return underWay(stored);
	await wakeAgent(context, network);
	return {
		...withdrawalRecord(stored),
		next: 'the service signs and sends it by itself; treasury show says how far it is',
	};
};

export const treasuryRuns: RunsOf<typeof topic> = {
	show: showTreasury,
	plan: planReserves,
	withdraw,
	returned,
	'book-unattributed': bookUnattributed,
};

async function addressNamed(context: Context, network: NetworkName, name: string | undefined) {
	const found = await waysOut(context, network);
	if ('refused' in found) return fail(409, found.refused);
	const { addresses } = found;
	const to = name === undefined ? addresses[0] : addresses.find((each) => each.name === name);
	return (
		to ??
		fail(409, `the signer has no address ${name} for ${network}, but ${addresses.map((each) => each.name).join(', ')}`)
	);
}

/** The signer would refuse it too, once it is planned. */
function aboveCap(to: WithdrawalAddress, cents: number): Failure | null {
	if (to.capCents === null || hasRoom(to, cents)) return null;
	const left = usdOfCents(Math.max(0, to.capCents - to.usedCents));
	return fail(
		409,
		`${to.name} takes ${usdOfCents(to.capCents)} USD in a UTC day, of which ${left} are left today: this is worth ${usdOfCents(cents)} USD`,
	);
}

/** Its worth, US dollars; a failure where the hot wallet cannot pay it. */
async function affordable(context: Context, asset: Asset, amount: bigint): Promise<Decimal | Failure> {
	const { env, db, now } = context;
	const { code, network, decimals } = asset;
	const market = await marketOrNull(context.env);
	const price = market && usdPrice(market, asset, now);
	const feeUnits = market && networkReport(market, network, now)?.fees[code];
	if (!price || !feeUnits) return fail(503, `price or network fee of ${code} is not known now; try again later`);
	const earnings = (await owedToPartners(db))[code] ?? 0n;
	let free: bigint;
	try {
		const { [code]: funds = { held: 0n, owed: 0n } } = await objectNamed(env, env.CHAIN_AGENT, network).funds(network, [
			code,
		]);
		free = freeOf(funds, earnings);
	} catch (error) {
		logError('funds_not_read', error, { network });
		return fail(503, `${network} does not answer now; nothing was planned, run it again`);
	}
	// The house bears the fee; for a token it is paid in another coin.
	const fee = isNative(asset) ? BigInt(feeUnits) : 0n;
	const most = free - fee > 0n ? free - fee : 0n;
	const coins = (units: bigint) => fromBaseUnits(units, decimals);
	if (amount > most)
		return fail(409, `${coins(amount)} ${code} are more than the ${coins(most)} that are free: see treasury show`);
	return price.times(decimal(coins(amount)));
}

function underWay(row: TransactionRow): Failure {
	const { id, amount, asset, toAddress, state, held } = withdrawalRecord(row);
	const why = held === null ? '' : `: ${held}`;
	return fail(409, `withdrawal ${id} of ${amount} ${asset} to ${toAddress} is not final yet, it is ${state}${why}`);
}
