/**
 * A person's bookings to the reserve. `ledger adjust`: what differs for good between a wallet and the books. `treasury
 * book-unattributed`: coins that came to addresses of ours and belong to no order. Atomic: one batch books it and notes why, or
 * does nothing where somebody has booked meanwhile. A call that is repeated books at most what is left. `treasury returned`
 * notes that coins which came to a hot wallet are a transfer back from where withdrawals go; they stay reserve.
 */
import { sql } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { offeredNetworks } from '../../chains/configuration.ts';
import { fromBaseUnits, sumOf, toBaseUnits } from '../../money/units.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { bookableOf, isBookedStill, markBooked, ofNoOrder } from '../../treasury/deposits/of-no-order.ts';
import { ADJUSTMENT, arrivalsOf, markReturned } from '../../treasury/ledger/reserve-store.ts';
import { reserveEntries } from '../../treasury/ledger/table.ts';
import { UNATTRIBUTED } from '../../treasury/ledger/wallet-store.ts';
import type { Move } from '../../treasury/moves.ts';
import { fail, isFailure, type RunOf } from '../command.ts';
import { unitsOf } from '../orders/record.ts';
import { unconfirmed } from '../persons.ts';
import { waysOut } from '../reserves/ways-out.ts';
import type { ledger } from '../topics/ledger.ts';
import type { treasury } from '../topics/treasury.ts';
import { checkWallets } from './compare-wallets.ts';

export const adjust: RunOf<typeof ledger, 'adjust'> = async (context, input) => {
	const { db, now } = context;
	const asset = assetOf(input.asset);
	const { code, network, decimals } = asset;
	const amount = unitsOf(input.amount, asset);
	if (isFailure(amount)) return amount;
	const adjustments = sql`(select count(*) from ${reserveEntries} where ${reserveEntries.asset} = ${code} and ${reserveEntries.position} = ${ADJUSTMENT})`;
	// Before the comparison: what is booked after it makes the difference smaller.
	const [before] = await db.all<{ count: number }>(sql`select ${adjustments} as count`);
	const [wallet] = await checkWallets(context, [asset]);
	const result = wallet?.result ?? 'unchecked';
	if (wallet?.result !== 'differs' || wallet.difference === null)
		return fail(409, `\`ledger check\` shows no difference of ${code} that stays: it is ${result}`);
	const isMissing = wallet.difference.startsWith('-');
	const size = toBaseUnits(wallet.difference.replace('-', ''), decimals);
	if (amount > size) return fail(409, `only ${fromBaseUnits(size, decimals)} ${code} differ`);
	const booked = isMissing ? -amount : amount;
	const direction = isMissing ? 'down' : 'up';
	const move: Move = ['adjustment', direction, code, fromBaseUnits(amount, decimals), input.reason];
	const problem = await unconfirmed(context, [move]);
	if (problem) return problem;
	const isUnchanged = sql`${adjustments} = ${before?.count ?? 0}`;
	const changes = { amount: booked.toString(), difference: wallet.difference, reason: input.reason };
	const id = crypto.randomUUID();
	const entry = sql`select ${network}, ${id}, ${ADJUSTMENT}, ${code}, ${booked.toString()}, ${now}, null where ${isUnchanged}`;
	const [, written] = await db.batch([
		writeAuditIf(context, { command: 'ledger adjust', subject: code, changes }, isUnchanged),
		db.insert(reserveEntries).select(entry).returning({ amount: reserveEntries.amount }),
	]);
	if (written.length === 0) return fail(409, 'somebody has adjusted it meanwhile; run `ledger check` again');
	return {
		asset: code,
		booked: fromBaseUnits(booked, decimals),
		left: fromBaseUnits(size - amount, decimals),
		next: '`ledger check` compares again',
	};
};

export const bookUnattributed: RunOf<typeof treasury, 'book-unattributed'> = async (context, input) => {
	const { db, now } = context;
	const { code, network, decimals } = assetOf(input.asset);
	const amount = unitsOf(input.amount, { code, decimals });
	if (isFailure(amount)) return amount;
	const row = await ofNoOrder(db, code);
	const left = row ? bookableOf(row) : 0n;
	const coins = (units: bigint) => fromBaseUnits(units, decimals);
	if (!row || amount > left) return fail(409, `only ${coins(left)} ${code} belong to no order and can be booked`);
	const problem = await unconfirmed(context, [['unattributed', 'up', code, coins(amount), input.reason]]);
	if (problem) return problem;
	const isUnchanged = isBookedStill(row);
	const id = crypto.randomUUID();
	const changes = { amount: amount.toString(), reason: input.reason };
	const entry = sql`select ${network}, ${id}, ${UNATTRIBUTED}, ${code}, ${amount.toString()}, ${now}, null where ${isUnchanged}`;
	const [, , marked] = await db.batch([
		writeAuditIf(context, { command: 'treasury book-unattributed', subject: code, changes }, isUnchanged),
		db.insert(reserveEntries).select(entry),
		markBooked(db, row, amount),
	]);
	if (marked.length === 0) return fail(409, 'somebody has booked some of it meanwhile; run it again');
	return { asset: code, booked: coins(amount), left: coins(left - amount), next: 'treasury show counts it as reserve' };
};

export const returned: RunOf<typeof treasury, 'returned'> = async (context, { asset, txId, from }) => {
	const { env, db } = context;
	const found = await Promise.all(offeredNetworks(env).map((network) => waysOut(context, network)));
	const names = new Set(found.flatMap((way) => ('addresses' in way ? way.addresses.map(({ name }) => name) : [])));
	if (from !== null && !names.has(from))
		return fail(409, `the signer has no address ${from}: it has ${[...names].join(', ') || 'none'}`);
	const entries = await arrivalsOf(db, asset, txId);
	if (entries.length === 0)
		return fail(
			404,
			`${txId} brought no ${asset} that is on record as reserve: \`treasury show\` lists what came last`,
		);
	const changes = { txId, from, before: entries[0]?.returnedFrom ?? null };
	await runBatch(db, [
		markReturned(db, asset, txId, from),
		writeAudit(context, { command: 'treasury returned', subject: asset, changes }),
	]);
	const amount = sumOf(entries);
	return { asset, txId, amount: fromBaseUnits(amount, assetOf(asset).decimals), from };
};
