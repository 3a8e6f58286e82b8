/** `/solvency`, `/solvency.json` and `/solvency-heads.json`: nothing of them is there where the operator publishes no proofs. */
import { Hono } from 'hono';
import { sayFor, VARY } from '../choice.ts';
import type { PageEnv } from '../env.ts';
import { spoken } from '../parts/speech.tsx';
import { render } from '../render.ts';
import { FILE_PATH, HEADS_PATH, SolvencyPage } from './page.tsx';
import { provesSolvency, solvencyFile, solvencyHeads } from './store.ts';

const CACHE = 'public, max-age=60';
const HEADERS = { 'cache-control': CACHE, 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };

export function solvencyPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/solvency', async (c) => {
		if (!(await provesSolvency(c.env))) return c.notFound();
		const page = <SolvencyPage file={await solvencyFile(c.env, null)} now={Date.now()} />;
		return render(spoken(await sayFor(c), page), { cache: CACHE, headers: VARY });
	});
	app.get(FILE_PATH, async (c) => {
		const hour = c.req.query('hour');
		if (hour !== undefined && !/^\d{1,9}$/.test(hour)) return c.notFound();
		const isOn = await provesSolvency(c.env);
		const file = isOn ? await solvencyFile(c.env, hour === undefined ? null : Number(hour)) : null;
		return file ? c.json(file, 200, HEADERS) : c.notFound();
	});
	app.get(HEADS_PATH, async (c) => {
		if (!(await provesSolvency(c.env))) return c.notFound();
		return c.json(await solvencyHeads(c.env), 200, HEADERS);
	});
	return app;
}
