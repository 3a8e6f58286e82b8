/**
 * `doctor`: all parts of the examination, side by side. A part that fails or hangs gives a row that says so, and the
 * others go on: a deployment that is half broken is what it is for.
 */
import { logError } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import { currentFacts } from '../attention/collect.ts';
import type { Context, RunsOf } from '../command.ts';
import type { doctor as topic } from '../topics/doctor.ts';
import { addresses, caps, prices, reserve, switches, webhooks } from './business.ts';
import { keysAndNodes, passkeys } from './nodes.ts';
import { auditLog, cron, migrations, queue } from './platform.ts';
import { type Area, type Examination, type Examined, type Part, type Row, unknown } from './row.ts';
import { databaseSize, journal } from './storage.ts';
import {
	agentsClock,
	agentsConfiguration,
	apiClock,
	callersClock,
	databasesClock,
	operatorConfiguration,
	ownConfiguration,
	pagesConfiguration,
	signersClock,
	signersConfiguration,
	versions,
} from './workers.ts';

/** Longest wait for one part. The slowest asks nodes that hang, and has a limit of its own below this. */
const PART_MILLISECONDS = 45_000;

/** In the order in which a person should correct: what comes first may be the cause of what follows. */
const PARTS: readonly { readonly area: Area; readonly what: string; readonly examine: Part }[] = [
	{ area: 'configuration', what: 'API', examine: ownConfiguration },
	{ area: 'configuration', what: 'agents Worker', examine: agentsConfiguration },
	{ area: 'configuration', what: 'signer', examine: signersConfiguration },
	{ area: 'configuration', what: 'pages', examine: pagesConfiguration },
	{ area: 'configuration', what: 'operator Worker', examine: operatorConfiguration },
	{ area: 'network', what: 'keys and nodes', examine: keysAndNodes },
	{ area: 'keys', what: 'passkeys', examine: passkeys },
	{ area: 'versions', what: 'all Workers', examine: versions },
	{ area: 'database', what: 'migrations', examine: migrations },
	{ area: 'journal', what: 'signer', examine: journal },
	{ area: 'database', what: 'size', examine: databaseSize },
	{ area: 'database', what: 'audit log', examine: auditLog },
	{ area: 'queue', what: 'webhooks', examine: queue },
	{ area: 'cron', what: 'API and operator Worker', examine: cron },
	{ area: 'clock', what: 'API', examine: apiClock },
	{ area: 'clock', what: 'agents Worker', examine: agentsClock },
	{ area: 'clock', what: 'signer', examine: signersClock },
	{ area: 'clock', what: 'database', examine: databasesClock },
	{ area: 'clock', what: 'this command', examine: callersClock },
	{ area: 'price', what: 'all', examine: prices },
	{ area: 'addresses', what: 'all', examine: addresses },
	{ area: 'reserve', what: 'all', examine: reserve },
	{ area: 'cap', what: 'all', examine: caps },
	{ area: 'switch', what: 'all', examine: switches },
	{ area: 'webhook', what: 'all', examine: webhooks },
];

export const doctorRuns: RunsOf<typeof topic> = {
	'': async (context) => {
		const examination = examinationOf(context);
		const found = await Promise.all(PARTS.map((part) => examined(part, examination)));
		const rows = withoutRepeats(found.flat().reduce<Row[]>(joined, []));
		const count = (state: Row['state']) => rows.filter((row) => row.state === state).length;
		return { fine: count('fine'), wrong: count('wrong'), unknown: count('unknown'), rows };
	},
};

/** The facts that several parts need are asked once. */
export const examinationOf = (context: Context): Examination => ({
	context,
	facts: once(() => currentFacts(context)),
	signer: once(() => askedAt(async () => (await context.env.SIGNER.identify(crypto.randomUUID())).state)),
	agents: once(() => askedAt(async () => context.env.AGENTS.told())),
});

function once<T>(ask: () => Promise<T>): () => Promise<T> {
	let asked: Promise<T> | null = null;
	return () => {
		asked ??= ask();
		return asked;
	};
}

async function askedAt<State>(ask: () => Promise<State>): Promise<Examined<State>> {
	const before = Date.now();
	const state = await ask();
	return { state, before, after: Date.now() };
}

async function examined({ area, what, examine }: (typeof PARTS)[number], examination: Examination): Promise<Row[]> {
	const late = () => {
		throw new Error(`no answer within ${PART_MILLISECONDS / 1000} s`);
	};
	try {
		return await within(examine(examination), PART_MILLISECONDS, late);
	} catch (error) {
		logError('doctor_part_failed', error, { area, what });
		const why = error instanceof Error ? error.message : String(error);
		const todo = 'correct what is wrong above, then run doctor again; the log line doctor_part_failed has more';
		return [unknown(area, what, why, todo)];
	}
}

/** All networks of which the same is said about addresses or reserve share a row. */
function joined(rows: readonly Row[], row: Row): Row[] {
	const isPerNetwork = row.area === 'addresses' || row.area === 'reserve';
	const isAlike = (one: Row) => one.area === row.area && one.state === row.state && one.detail === row.detail;
	const at = isPerNetwork ? rows.findIndex(isAlike) : -1;
	return at < 0
		? [...rows, row]
		: rows.map((one, i) => (i === at ? { ...one, what: `${one.what}, ${row.what}` } : one));
}

/** A variable that is wrong also spoils the checks of keys and nodes; the row that says how to set it is enough. */
function withoutRepeats(rows: readonly Row[]): Row[] {
	const problems = rows.filter(({ area, state }) => area === 'configuration' && state === 'wrong');
	return rows.filter(
		({ area, state, detail }) =>
			!(
				(area === 'keys' || area === 'network') &&
				state === 'wrong' &&
				problems.some((problem) => detail.endsWith(problem.detail))
			),
	);
}
