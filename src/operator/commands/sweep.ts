/**
 * `order sweep`: tries the sweep of an order's address again, although earlier ones have failed on chain. Of an archived order
 * it sweeps what came since.
 */
import { findArchived } from '../../archive/find.ts';
import { writeAudit } from '../../audit/log.ts';
import { clearIncidents } from '../../incidents/store.ts';
import { findOrder } from '../../orders/store.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { isAt, type OverflowRow, overflowsAt } from '../../treasury/deposits/overflows.ts';
import { overflows } from '../../treasury/ledger/table.ts';
import { networksOf } from '../../treasury/strays/named.ts';
import { MAX_RETRIES, sweepStep } from '../../treasury/sweeps/rules.ts';
import { candidateOf, type LoadedCandidate, retryNow } from '../../treasury/sweeps/store.ts';
import { hasFailed } from '../../treasury/transactions/blocked.ts';
import { fromSigner, wakeAgent } from '../asking.ts';
import { type Context, fail, type RunOf } from '../command.ts';
import type { order as topic } from '../topics/order.ts';

const SIGNER_LIMIT = `the signer allows ${MAX_RETRIES} such sweeps of an address within 30 days, and they are used`;
const NEXT = 'it is swept at the next poll, if that is worth its cost';
const NOTHING_LEFT = 'nothing is left to sweep at its address';

/**
 * First the signer allows one more, because it counts failures by itself; an attacker who writes D1 alone cannot make it.
 * Atomic: then one batch writes the audit line, has the address judged at the next poll, and ends the incident. After a
 * failure in between the same command does the rest.
 */
export const sweepOrder: RunOf<typeof topic, 'sweep'> = async (context, { id, reason }) => {
	const { db, env, now } = context;
	const order = await findOrder(db, id);
	if (!order) return sweepArchived(context, id, reason);
	const { fromNetwork: network, fromAsset: asset, payInAddress: address } = order;
	const found = await candidateOf(db, order);
	const problem = found ? refusalOf(found, now) : NOTHING_LEFT;
	if (!found || problem) return fail(409, `order ${id}: ${problem}`);
	const isAllowed = await fromSigner(() => env.SIGNER.retrySweep(network, address, asset), { orderId: id });
	if (isAllowed !== true) return isAllowed || fail(409, SIGNER_LIMIT);
	const failures = found.sweeps.filter(hasFailed).length;
	const changes = { reason, network, asset, address, failures };
	await runBatch(db, [
		writeAudit(context, { command: 'order sweep', subject: id, changes }),
		retryNow(db, found.candidate, now),
		clearIncidents(db, 'sweep-failing', id),
	]);
	await wakeAgent(context, network);
	return { id, network, asset, address, failures, next: NEXT };
};

/** Why no sweep of the address is to be tried again; null where one is. */
function refusalOf(found: LoadedCandidate, now: number): string | null {
	const sent = found.sweeps.find(({ state }) => state === 'signed' || state === 'sent');
	if (sent) return `${sent.kind} ${sent.id} of its address is under way`;
	if (!found.sweeps.some(hasFailed))
		return 'no sweep of its address has failed: it is swept by itself, within a day where gas is dear';
	// One that is planned may be the one that the signer refuses, because by its own count too many have failed.
	const sweeps = found.sweeps.filter(({ state }) => state === 'final');
	const step = sweepStep({ ...found, sweeps, candidate: { retriedAt: now } }, now);
	if (step === 'done') return NOTHING_LEFT;
	return step === 'sweep' ? null : 'its address cannot be swept yet: something there may still be claimed';
}

/**
 * Sweeps what came to the address of an archived order, by the last look. First the signer is told, as above. Atomic:
 * then one batch writes the audit line and has each sweep judged at the next poll.
 */
async function sweepArchived(context: Context, id: string, reason: string) {
	const { db, env, now } = context;
	const order = (await findArchived(db, env, id))?.order;
	if (!order) return fail(404, `there is no order ${id}`);
	const { payInAddress: address } = order;
	const rows = await Promise.all(networksOf(env, order).map((network) => overflowsAt(db, network, [address])));
	const lying = rows.flat().filter(({ counted, swept }) => counted !== swept);
	if (lying.length === 0)
		return fail(
			409,
			`nothing is known at the address of order ${id}, which is archived; \`order find-stray ${id}\` looks`,
		);
	const asked: OverflowRow[] = [];
	for (const row of lying) if (await env.SIGNER.retrySweep(row.network, address, row.asset)) asked.push(row);
	if (asked.length === 0) return fail(409, SIGNER_LIMIT);
	const assets = asked.map(({ asset }) => asset);
	await runBatch(db, [
		writeAudit(context, { command: 'order sweep', subject: id, changes: { reason, address, assets } }),
		...asked.map((row) => db.update(overflows).set({ dueAt: now }).where(isAt(row))),
	]);
	for (const network of new Set(asked.map((row) => row.network))) await wakeAgent(context, network);
	return { id, address, assets, next: NEXT };
}
