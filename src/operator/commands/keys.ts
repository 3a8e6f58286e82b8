/** `keys …`: which keys are in use, how one is replaced, and how an old one is retired. No key is ever shown. */
import { writeAudit } from '../../audit/log.ts';
import { type KeyName, keyRing, sealingKey } from '../../crypto/key-ring.ts';
import type { Context, RunOf, RunsOf } from '../command.ts';
import { keyPlan, operatorTokenPlan } from '../key-plan.ts';
import { resealKind, SEALED_KINDS } from '../reseal.ts';
import { isoTimeOrNull } from '../shown.ts';
import type { keys as topic } from '../topics/keys.ts';

const NAMES: readonly KeyName[] = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'];
/** One run stops after this long; the next one goes on from there. */
const RUN_MILLISECONDS = 20_000;

const keyRecord = ({ env, now }: Context, name: KeyName) => {
	const ring = keyRing(env, name);
	const { number } = sealingKey(ring, now);
	const { current, previous } = ring;
	const isChanged = number === current.number;
	return {
		name,
		number,
		next: isChanged ? null : current.number,
		previous: isChanged ? (previous?.number ?? null) : null,
		changesAt: isoTimeOrNull(previous?.until ?? null),
	};
};

async function oldRows(context: Context) {
	return Promise.all(SEALED_KINDS.map(async ({ what, count }) => ({ what, rows: await count(context) })));
}

const showKeys: RunOf<typeof topic, 'show'> = async (context) => {
	const { env } = context;
	const keys = NAMES.map((name) => keyRecord(context, name));
	const old = await oldRows(context);
	const replaced: string[] = keys.filter(isBeingReplaced).map(({ name }) => name);
	if (env.OPERATOR_TOKEN_NEXT) replaced.push('OPERATOR_TOKEN');
	const next = replaced.length > 0 ? replaced.map((name) => `run keys plan ${name}`).join(', ') : 'nothing to do';
	return {
		...{ keys, sealedWithOlderKeys: old, operatorTokens: env.OPERATOR_TOKEN_NEXT ? 2 : 1 },
		next: old.some(({ rows }) => rows > 0) ? 'run keys reseal' : next,
	};
};

/** The older API_KEY_KEY stays, because apiKeys are in the hands of partners. */
const isBeingReplaced = ({ name, next, previous }: ReturnType<typeof keyRecord>): boolean =>
	next !== null || (previous !== null && name !== 'API_KEY_KEY');

const planReplacement: RunOf<typeof topic, 'plan'> = async (context, { name }) => {
	const { env, now } = context;
	if (name === 'OPERATOR_TOKEN') return { steps: operatorTokenPlan(Boolean(env.OPERATOR_TOKEN_NEXT)) };
	const old = (await oldRows(context)).reduce((sum, { rows }) => sum + rows, 0);
	return { steps: keyPlan(keyRing(env, name), Boolean(env[`${name}_NEXT`]), old, now) };
};

/** Atomic: each row is its own compare-and-set (`reseal.ts`). One audit line per run. */
const resealKeys: RunOf<typeof topic, 'reseal'> = async (context) => {
	const deadline = Date.now() + RUN_MILLISECONDS;
	const done: { what: string; resealed: number; broken: readonly string[] }[] = [];
	for (const kind of SEALED_KINDS) done.push({ what: kind.what, ...(await resealKind(kind, context, deadline)) });
	const changes = done.map(({ what, resealed, broken }) => ({ what, resealed, broken: broken.length }));
	await context.db.batch([writeAudit(context, { command: 'keys reseal', subject: null, changes })]);
	const left = (await oldRows(context)).reduce((sum, { rows }) => sum + rows, 0);
	const broken = done.reduce((sum, each) => sum + each.broken.length, 0);
	return {
		done,
		left,
		next: left > broken ? 'run it again' : broken > 0 ? 'check the broken ones' : 'nothing to do',
	};
};

export const keysRuns: RunsOf<typeof topic> = { show: showKeys, plan: planReplacement, reseal: resealKeys };
