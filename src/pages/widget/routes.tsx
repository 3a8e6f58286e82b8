/**
 * `/widget/{partner}`: quotes a swap and opens its order, in a frame of the partner's pages or by a link. It needs no script,
 * neither the host's nor its own, and sends its host nothing: the order opens in a window of its own.
 */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { WidgetAnswer, WidgetAsked } from '../../ports/widget.ts';
import { sayFor } from '../choice.ts';
import type { PageEnv } from '../env.ts';
import { formOf } from '../form.ts';
import { isFramed } from '../headers.ts';
import { spoken } from '../parts/speech.tsx';
import { render } from '../render.ts';
import { TooManyPage, WidgetPage } from './page.tsx';

const MAX_BODY_BYTES = 4_096;
/** Characters of a field. */
const MAX_TYPED = 200;

export function widgetPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/widget/:partner', async (c) => shown(c, { ...swapIn(c.req.query()), order: null }));
	app.post('/widget/:partner', bodyLimit({ maxSize: MAX_BODY_BYTES }), order);
	return app;
}

type Fields = Readonly<Record<string, unknown>>;

const textIn = (fields: Fields, name: string): string => {
	const given = fields[name];
	return typeof given === 'string' ? given.trim().slice(0, MAX_TYPED) : '';
};

const swapIn = (fields: Fields) => ({
	from: textIn(fields, 'from').toUpperCase(),
	to: textIn(fields, 'to').toUpperCase(),
	amount: textIn(fields, 'amount'),
});

async function order(c: Context<PageEnv>): Promise<Response> {
	// A page of another site would have its readers' browsers make orders, each from a network of its own.
	const from = c.req.header('sec-fetch-site') ?? 'same-origin';
	if (from !== 'same-origin') return new Response(null, { status: 403 });
	const fields = (await formOf(c)) ?? {};
	const recipients = { toAddress: textIn(fields, 'toAddress'), refundAddress: textIn(fields, 'refundAddress') };
	return shown(c, { ...swapIn(fields), order: recipients });
}

async function shown(c: Context<PageEnv>, asked: WidgetAsked): Promise<Response> {
	const partner = c.req.param('partner') ?? '';
	const answer: WidgetAnswer = await c.env.desk.widget(partner, asked);
	if (answer.is === 'none') return c.notFound() as Response;
	if (answer.is === 'too many') {
		const headers = { 'retry-after': String(answer.retryAfterSeconds) };
		return render(spoken(await sayFor(c), <TooManyPage bare={isFramed(c)} />), { status: 429, headers });
	}
	const say = await sayFor(c, answer.brand.language);
	if (answer.order) {
		const { id, token } = answer.order;
		const headers = { location: `/o/${id}?lang=${say.language}#${token}`, 'cache-control': 'no-store' };
		return new Response(null, { status: 303, headers });
	}
	const page = <WidgetPage partner={partner} asked={asked} answer={answer} bare={isFramed(c)} />;
	const status = asked.order ? 400 : 200;
	return render(spoken(say, page), { status, frameAncestors: answer.frameOrigins });
}
