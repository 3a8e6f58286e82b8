/**
 * `treasury returned`: notes that coins which came to a hot wallet are a transfer back from where withdrawals go. They stay
 * reserve. Atomic: one batch writes the name and the audit line. Safe to repeat.
 */
import { writeAudit } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { offeredNetworks } from '../../chains/configuration.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { arrivalsOf, markReturned } from '../../treasury/ledger/reserve-store.ts';
import { fail, type RunOf } from '../command.ts';
import { waysOut } from '../reserves/ways-out.ts';
import type { treasury as topic } from '../topics/treasury.ts';

export const returned: RunOf<typeof topic, 'returned'> = async (context, { asset, txId, from }) => {
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
