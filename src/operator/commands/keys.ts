/** `keys …`: which keys are in use, how one is replaced, and how an old one is retired. No key is ever shown. */
import { writeAudit } from '../../audit/log.ts';
import { type KeyName, sealingKey } from '../../crypto/key-ring.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import { seedOfSigner } from '../backup/manifest.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { keeperOf, numbersOf, type OperatorEnv } from '../env.ts';
import { keyPlan, leakPlan, operatorTokenPlan } from '../key-plan.ts';
import { resealKind, SEALED_KINDS, type SealedKind } from '../reseal.ts';
import type { keys as topic } from '../topics/keys.ts';
import { confirmLists, listLeft, resealLeaked } from './leak.ts';

const NAMES: readonly KeyName[] = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'];
/** One run stops after this long; the next one goes on from there. */
const RUN_MILLISECONDS = 20_000;

const keyRecord = ({ env, now }: Context, name: KeyName) => {
	const ring = numbersOf(env, name);
	const { number } = sealingKey(ring, now);
	const { current, previous, leaked } = ring;
	const isChanged = number === current.number;
	return {
		name,
		number,
		next: isChanged ? null : current.number,
		previous: isChanged ? (previous?.number ?? null) : null,
		changesAt: isoTimeOrNull(previous?.until ?? null),
		leaked: leaked.length > 0 ? leaked.map((key) => key.number).join(', ') : null,
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
	if (env.KEYS.operatorTokens > 1) replaced.push('OPERATOR_TOKEN');
	const leaks = keys.flatMap(({ name, leaked }) => (leaked === null ? [] : `run keys plan ${name} --leaked`));
	const steps = leaks.length > 0 ? leaks : replaced.map((name) => `run keys plan ${name}`);
	const next = steps.length > 0 ? steps.join(', ') : 'nothing to do';
	return {
		keys,
		sealedWithOlderKeys: old,
		operatorTokens: env.KEYS.operatorTokens,
		next: leaks.length === 0 && old.some(({ rows }) => rows > 0) ? 'run keys reseal' : next,
	};
};

/** The older API_KEY_KEY stays, because apiKeys are in the hands of partners. */
const isBeingReplaced = ({ name, next, previous }: ReturnType<typeof keyRecord>): boolean =>
	next !== null || (previous !== null && name !== 'API_KEY_KEY');

const planReplacement: RunOf<typeof topic, 'plan'> = async (context, { name, leaked }) => {
	const { env, now } = context;
	if (name === 'OPERATOR_TOKEN') return { steps: operatorTokenPlan(env.KEYS.operatorTokens > 1, leaked) };
	const ring = numbersOf(env, name);
	const old = (await oldRows(context)).reduce((sum, { rows }) => sum + rows, 0);
	// Who has a leaked API_KEY_KEY can forge nothing that counts.
	const isLeak = name !== 'API_KEY_KEY' && (leaked || ring.leaked.length > 0);
	return { steps: isLeak ? leakPlan(ring, old) : keyPlan(ring, ring.hasNext, old, now) };
};

const resealKeys: RunOf<typeof topic, 'reseal'> = async (context, { leaked }) => {
	const names = NAMES.filter((name) => numbersOf(context.env, name).leaked.length > 0);
	if (leaked) return names.length > 0 ? resealLeaked(context) : fail(409, NONE_LEAKED);
	return names.length > 0 ? fail(409, `${names.join(' and ')} leaked: ${FORGED}`) : resealAll(context);
};

const NONE_LEAKED = 'no key is set as leaked: `keys plan NAME --leaked` says what to do first';
const FORGED = 'to seal again what it has sealed would make genuine what was forged; run `keys reseal --leaked`';

/** Atomic: each row is its own compare-and-set (`reseal.ts`). One audit line per run. */
async function resealAll(context: Context) {
	const done = await resealKinds(context, SEALED_KINDS);
	const changes = done.map(({ what, resealed, broken }) => ({ what, resealed, broken: broken.length }));
	await context.db.batch([writeAudit(context, { command: 'keys reseal', subject: null, changes })]);
	const left = (await oldRows(context)).reduce((sum, { rows }) => sum + rows, 0);
	const broken = done.reduce((sum, each) => sum + each.broken.length, 0);
	return { done, left, next: left > broken ? 'run it again' : broken > 0 ? 'check the broken ones' : 'nothing to do' };
}

async function resealKinds(context: Context, kinds: readonly SealedKind[]) {
	const deadline = Date.now() + RUN_MILLISECONDS;
	const done: { what: string; resealed: number; broken: readonly string[] }[] = [];
	for (const kind of kinds) done.push({ what: kind.what, ...(await resealKind(kind, context, deadline)) });
	return done;
}

/** The command line compares these with what a person types (`cli/verify-key.ts`). */
const verifyKey: RunOf<typeof topic, 'verify'> = async ({ env }, { name }) => {
	if (name === 'SEED') return { name, deployment: '', fingerprints: [await seedOfSigner(env)] };
	const fingerprints = await keeperOf(env).fingerprints(name);
	if (name === 'OPERATOR_TOKEN') return { name, deployment: '', fingerprints };
	const { deployment } = numbersOf(env, name);
	return { name, deployment, fingerprints, ...(name === 'SEAL_KEY' && { signerHasIt: await isSameInBoth(env) }) };
};

async function isSameInBoth(env: OperatorEnv): Promise<boolean> {
	const challenge = crypto.randomUUID();
	const [api, signer] = await Promise.all([keeperOf(env).identify(challenge), env.SIGNER.identify(challenge)]);
	return 'is' in api.sealKey && 'is' in signer.sealKey && api.sealKey.is === signer.sealKey.is;
}

export const keysRuns: RunsOf<typeof topic> = {
	show: showKeys,
	plan: planReplacement,
	verify: verifyKey,
	reseal: resealKeys,
	left: listLeft,
	confirm: confirmLists,
};
