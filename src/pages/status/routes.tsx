/** `/status` and `/status.json`: the same facts, for people and for programs, at most 30 seconds old. */
import { Hono } from 'hono';
import { logError } from '../../platform/log.ts';
import { isoTime } from '../../platform/time.ts';
import { sayFor, VARY } from '../choice.ts';
import type { PageEnv } from '../env.ts';
import { spoken } from '../parts/speech.tsx';
import { render } from '../render.ts';
import { sayEnglish } from '../say.ts';
import { type StatusFacts, StatusPage } from './page.tsx';
import { speedDocument } from './speed.tsx';
import { readDays, readSpeeds } from './store.ts';
import { headline } from './words.ts';

const KEPT_SECONDS = 30;
const CACHE = `public, max-age=${KEPT_SECONDS}`;

export function statusPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	let kept: StatusFacts | null = null;
	const facts = async (env: PageEnv['Bindings']): Promise<StatusFacts> => {
		const now = Date.now();
		if (kept === null || now - kept.now >= KEPT_SECONDS * 1000) kept = await read(env, now);
		return kept;
	};
	app.get('/status', async (c) => {
		const page = <StatusPage {...(await facts(c.env))} />;
		return render(spoken(await sayFor(c), page), { cache: CACHE, headers: VARY });
	});
	app.get('/status.json', async (c) => {
		const headers = { 'cache-control': CACHE, 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
		return c.json(document(await facts(c.env)), 200, headers);
	});
	return app;
}

/** The state of now is shown although the days cannot be read, and the other way round. */
async function read({ desk, DB }: PageEnv['Bindings'], now: number): Promise<StatusFacts> {
	const failed = (error: unknown) => logError('page_failed', error, { path: '/status' });
	const none = (error: unknown) => {
		failed(error);
		return [];
	};
	const [status, days, speeds] = await Promise.all([
		desk.status().catch((error) => {
			failed(error);
			return null;
		}),
		readDays(DB, now).catch(none),
		readSpeeds(DB).catch(none),
	]);
	return { status, days, speeds, now };
}

function document({ status, days, speeds, now }: StatusFacts) {
	const bySubject = Map.groupBy(days, ({ subject }) => subject);
	const names = status ? status.subjects.map(({ subject }) => subject) : [...bySubject.keys()];
	return {
		at: isoTime(status?.at ?? now),
		summary: headline(status, sayEnglish()).text,
		/** Assets that no new order is paid in; null: not known. */
		soldOut: status?.soldOut ?? null,
		/** Null: not known. */
		works: status && !status.maintenance && status.subjects.every(({ state }) => state === 'ok'),
		maintenance: status?.maintenance ?? null,
		parts: names.map((name) => {
			const subject = status?.subjects.find((each) => each.subject === name);
			return {
				name,
				state: subject?.state ?? null,
				missing: subject?.missing ?? [],
				lastSeenAt: subject?.lastAt ? isoTime(subject.lastAt) : null,
				days: (bySubject.get(name) ?? []).map(({ subject: _, ...count }) => count),
			};
		}),
		speed: speedDocument(speeds),
	};
}
