/** After a leak: `keys reseal --leaked`, `keys left` and `keys confirm`. */
import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { partnerKeys, partners } from '../../partners/table.ts';
import { type Context, fail, type RunOf } from '../command.ts';
import { numbersOf } from '../env.ts';
import { type Dropped, dropLeaked } from '../leak/drop.ts';
import { type LeakedList, leakedLists, READERS } from '../leak/groups.ts';
import { LEAKED_KINDS } from '../leak/row.ts';
import { partnerNames } from '../partners/record.ts';
import { isOld } from '../reseal-page.ts';
import type { keys as topic } from '../topics/keys.ts';

const TOO_MANY =
	'there are more than 50000 rows: archive orders that are over, or take them out of D1, and run it again';
const PAGE = 200;
/** Doubtful rows that one answer names; `keys left` has all. */
const MOST_DOUBTS = 50;

export async function resealLeaked(context: Context) {
	const isSealKey = numbersOf(context.env, 'SEAL_KEY').leaked.length > 0;
	const dropped = isSealKey ? await dropLeaked(context) : null;
	const found = isSealKey ? await leakedLists(context, { withChanges: false }) : { lists: [], doubts: [] };
	if (!found) return fail(409, TOO_MANY);
	const { lists, doubts } = found;
	const secrets = await partnersOfLeakedSecrets(context);
	const owners = [...lists, ...doubts].map(({ of }) => of);
	const names = await partnerNames(context.db, owners);
	return {
		...droppedRecord(dropped),
		lists: lists.map(({ what, of, rows, open, atStake, digest }) => {
			return { what, partner: names.get(of) ?? null, rows, open, atStake, digest };
		}),
		doubts: doubts
			.slice(0, MOST_DOUBTS)
			.map(({ what, id, of, why }) => ({ what, id, partner: names.get(of) ?? null, why })),
		partners: [...(dropped?.partners ?? []), ...secrets],
		next: nextStep(lists, doubts.length, secrets.length),
	};
}

function droppedRecord(dropped: Dropped | null) {
	const { passkeys = 0, invitations = 0, payoutAddresses = 0, freeAddresses = 0, webhookEndpoints = 0 } = dropped ?? {};
	return { dropped: { passkeys, invitations, payoutAddresses, freeAddresses, webhookEndpoints } };
}

/** Nothing opens with them any more: each needs new ones. */
async function partnersOfLeakedSecrets({ env, db }: Context) {
	const keys = numbersOf(env, 'SECRETS_KEY');
	if (keys.leaked.length === 0) return [];
	const isLeft = sql`${isOld(partners.apiSecretSealed, keys)} or ${isOld(partners.webhookSecretSealed, keys)}`;
	const rows = await db.select({ id: partners.id, name: partners.name }).from(partners).where(isLeft);
	const scoped = await db
		.select({ id: partners.id, name: partners.name, key: partnerKeys.id })
		.from(partnerKeys)
		.innerJoin(partners, eq(partners.id, partnerKeys.partnerId))
		.where(isOld(partnerKeys.secretSealed, keys));
	return [
		...rows.map(({ id, name }) => ({
			partner: id,
			name,
			next: `partner replace-secret ${id} apiSecret, and webhookSecret`,
		})),
		...scoped.map(({ id, name, key }) => ({ partner: id, name, next: `partner revoke-key ${id} ${key}` })),
	];
}

function nextStep(lists: readonly LeakedList[], doubts: number, secrets: number): string {
	if (lists.length > 0) return 'compare the lists (keys left), then keys confirm DIGEST… --reason R';
	if (secrets > 0) return 'give the partners that are named new secrets';
	return doubts > 0 ? 'nothing is left to confirm; what is doubtful stays as it is' : 'nothing to do';
}

/** A page of the command is a page of one kind. */
export const listLeft: RunOf<typeof topic, 'left'> = async (context, { partner, cursor = '0:' }) => {
	const [at = '0', after = ''] = cursor.split(':', 2);
	const what = LEAKED_KINDS[Number(at)];
	if (!what) return fail(400, 'no such cursor');
	const { rows, next } = await READERS[what].page(context, after, PAGE);
	const following = next === null ? `${Number(at) + 1}:` : `${at}:${next}`;
	return {
		rows: rows
			.filter(({ of }) => partner === undefined || of === partner)
			.map(({ id, shown, doubt }) => ({ what, id, ...shown, doubt })),
		cursor: next === null && what === LEAKED_KINDS.at(-1) ? null : following,
	};
};

/** All lists or none: where one is no longer as it was, nothing is sealed. Atomic: the audit line, then as `leak/row.ts`. */
export const confirmLists: RunOf<typeof topic, 'confirm'> = async (context, { digests, reason }) => {
	const found = await leakedLists(context, { withChanges: true });
	if (!found) return fail(409, TOO_MANY);
	const lists = found.lists.filter(({ digest }) => digests.includes(digest));
	const missing = digests.find((digest) => !lists.some((list) => list.digest === digest));
	if (missing !== undefined)
		return fail(409, `no list has the digest ${missing}: its rows have changed, or are sealed; nothing was sealed`);
	const changes = { reason, lists: lists.map(({ what, of, rows, digest }) => ({ what, of, rows, digest })) };
	await context.db.batch([writeAudit(context, { command: 'keys confirm', subject: null, changes })]);
	for (const { what, changes: rows } of lists) await READERS[what].write(context, rows);
	const sealed = lists.reduce((sum, { rows }) => sum + rows, 0);
	return { sealed, listsLeft: found.lists.length - lists.length, doubts: found.doubts.length };
};
