/** `keys show` and `keys reseal`: which keys are in use, and how an old one is retired. No key is ever shown. */
import { writeAudit } from '../../audit/log.ts';
import { type KeyName, keyRing } from '../../crypto/key-ring.ts';
import type { Context, RunOf, RunsOf } from '../command.ts';
import { resealKind, SEALED_KINDS } from '../reseal.ts';
import { isoTimeOrNull } from '../shown.ts';
import type { keys as topic } from '../topics/keys.ts';

const NAMES: readonly KeyName[] = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'];
/** One run stops after this long; the next one goes on from there. */
const RUN_MILLISECONDS = 20_000;

const keyRecord = ({ env }: Context, name: KeyName) => {
	const { current, previous } = keyRing(env, name);
	return {
		name,
		number: current.number,
		previous: previous?.number ?? null,
		previousValidBefore: isoTimeOrNull(previous?.until ?? null),
	};
};

async function oldRows(context: Context) {
	return Promise.all(SEALED_KINDS.map(async ({ what, count }) => ({ what, rows: await count(context) })));
}

const showKeys: RunOf<typeof topic, 'show'> = async (context) => {
	const keys = NAMES.map((name) => keyRecord(context, name));
	const old = await oldRows(context);
	return { keys, sealedWithOlderKeys: old, next: nextStep(keys, old) };
};

function nextStep(keys: readonly ReturnType<typeof keyRecord>[], old: Awaited<ReturnType<typeof oldRows>>): string {
	if (old.some(({ rows }) => rows > 0)) return 'run keys reseal';
	const ended = keys.filter(({ name, previous }) => previous !== null && name !== 'API_KEY_KEY');
	const names = ended.flatMap(({ name }) => [`${name}_PREVIOUS`, `${name}_CHANGED_AT`]);
	return names.length > 0
		? `nothing is sealed with an older key: remove ${names.join(', ')} once the address stock has turned over`
		: 'nothing to do';
}

/** Atomic: each row is its own compare-and-set (`reseal.ts`). One audit line per run. */
const resealKeys: RunOf<typeof topic, 'reseal'> = async (context) => {
	const deadline = Date.now() + RUN_MILLISECONDS;
	const done: { what: string; resealed: number; broken: readonly string[] }[] = [];
	for (const kind of SEALED_KINDS) done.push({ what: kind.what, ...(await resealKind(kind, context, deadline)) });
	const changes = done.map(({ what, resealed, broken }) => ({ what, resealed, broken: broken.length }));
	await context.db.batch([writeAudit(context.db, { at: context.now, command: 'keys reseal', subject: null, changes })]);
	const left = (await oldRows(context)).reduce((sum, { rows }) => sum + rows, 0);
	const broken = done.reduce((sum, each) => sum + each.broken.length, 0);
	return {
		done,
		left,
		next: left > broken ? 'run it again' : broken > 0 ? 'check the broken ones' : 'nothing to do',
	};
};

export const keysRuns: RunsOf<typeof topic> = { show: showKeys, reseal: resealKeys };
