/**
 * `/o/{id}`. The token is never in an address: the script sends it in the header `Authorization` to `/o/{id}/state`; a form
 * sends it in its body. Where the order is still the version that the script has, the API Worker answers before it asks here (`payer/poll.ts`).
 */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Child } from 'hono/jsx';
import { logError } from '../../platform/log.ts';
import type { PayerAnswer, PayerDeed } from '../../ports/desk.ts';
import { choiceIn, sayFor } from '../choice.ts';
import type { PageEnv } from '../env.ts';
import { formOf } from '../form.ts';
import { isFramed, pageHeaders } from '../headers.ts';
import { spoken } from '../parts/speech.tsx';
import { htmlOf, render } from '../render.ts';
import { type Say, sayIn } from '../say.ts';
import { ownFileOfOrder, provesSolvency } from '../solvency/store.ts';
import type { ShownProof } from './deed.tsx';
import { ShownPage, StatusPage, TooManyPage, Unknown, UnknownPage, WaitingPage } from './page.tsx';
import { StatusView } from './status-view.tsx';
import { OrderView } from './view.tsx';

const MAX_BODY_BYTES = 4_096;
/** Characters: an explorer's page with a transaction's id. */
const MAX_NAMED = 300;

export function orderPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/o/:id', waiting);
	app.get('/o/:id/state', async (c) => {
		const answer = await c.env.desk.payerOrder(idOf(c), bearerOf(c));
		return fragment(c, answer, await proofFor(c.env, answer, null));
	});
	app.post('/o/:id', bodyLimit({ maxSize: MAX_BODY_BYTES }), posted);
	return app;
}

const idOf = (c: Context<PageEnv>): string => (c.req.param('id') ?? '').toLowerCase();

const bearerOf = (c: Context<PageEnv>): string => /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';

const frameOf = (c: Context<PageEnv>) => ({ id: idOf(c), bare: isFramed(c), host: new URL(c.req.url).host });

async function waiting(c: Context<PageEnv>): Promise<Response> {
	const frame = frameOf(c);
	const { origins, brand, retryAfterSeconds } = await c.env.desk.payerFrame(frame.id);
	if (retryAfterSeconds !== null)
		return render(spoken(await sayFor(c), <TooManyPage {...frame} />), tooMany(retryAfterSeconds));
	const page = <WaitingPage {...frame} brand={brand} />;
	return render(spoken(await sayFor(c, brand?.language), page), { frameAncestors: origins });
}

/** A form of the page: with the token in its body, or in the header where the script sends it. */
async function posted(c: Context<PageEnv>): Promise<Response> {
	const form = (await formOf(c)) ?? {};
	const bearer = bearerOf(c);
	const token = bearer || textIn(form['token']);
	const frame = frameOf(c);
	const answer = await c.env.desk.payerOrder(frame.id, token, deedIn(form));
	const proof = await proofFor(c.env, answer, textIn(form['action']) === 'proof' ? token : null);
	if (bearer) return fragment(c, answer, proof);
	const choice = choiceIn(c, form['choose']);
	const say = await (choice ? sayIn(choice.language, c.env.ASSETS) : sayOf(c, answer));
	if (answer.is === 'too many')
		return render(spoken(say, <TooManyPage {...frame} />), tooMany(answer.retryAfterSeconds));
	if (answer.is === 'unknown')
		return render(spoken(say, <UnknownPage {...frame} support={answer.support} />), { status: 404 });
	const headers = choice ? { 'set-cookie': choice.cookie } : {};
	return render(spoken(say, pageOf(frame, answer, { token, proof })), { frameAncestors: answer.frameOrigins, headers });
}

type Shown = Extract<PayerAnswer, { readonly is: 'shown' | 'status' }>;

function pageOf(
	frame: ReturnType<typeof frameOf>,
	answer: Shown,
	{ token, proof }: { readonly token: string; readonly proof: ShownProof },
): Child {
	if (answer.is === 'status') return <StatusPage {...frame} status={answer.status} token={token} />;
	const { is: _, frameOrigins: __, ...answered } = answer;
	return <ShownPage {...frame} {...answered} proof={proof} token={token} />;
}

const sayOf = (c: Context<PageEnv>, answer: PayerAnswer): Promise<Say> => sayFor(c, languageOf(answer));

function languageOf(answer: PayerAnswer) {
	if (answer.is === 'shown') return answer.shown.partner.language;
	return answer.is === 'status' ? answer.status.partner.language : null;
}

function deedIn(form: Readonly<Record<string, unknown>>): PayerDeed | undefined {
	const action = textIn(form['action']);
	if (action === 'named') return { named: textIn(form['tx']).slice(0, MAX_NAMED) };
	return action === 'exchange' || action === 'refund' || action === 'promise' ? action : undefined;
}

/** `token`: the order's, where the proof is asked for. A page is shown also where D1 cannot be read. */
async function proofFor(env: PageEnv['Bindings'], answer: PayerAnswer, token: string | null): Promise<ShownProof> {
	try {
		if (answer.is !== 'shown' || !(await provesSolvency(env))) return 'off';
		return token === null ? 'ask' : ((await ownFileOfOrder(env, answer.shown.order.id, token)) ?? 'none');
	} catch (error) {
		logError('page_failed', error, { path: '/o' });
		return 'off';
	}
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const tooMany = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });

/** The part of the page that the script replaces. */
async function fragment(c: Context<PageEnv>, answer: PayerAnswer, proof: ShownProof): Promise<Response> {
	if (answer.is === 'too many') return new Response(null, tooMany(answer.retryAfterSeconds));
	const say = await sayOf(c, answer);
	if (answer.is === 'unknown')
		return new Response(await htmlOf(spoken(say, <Unknown id={idOf(c)} support={answer.support} />)), {
			status: 404,
			headers: pageHeaders(),
		});
	if (answer.is === 'status') return fragmentOf(spoken(say, <StatusView status={answer.status} />), answer.status);
	const { is: _, frameOrigins: __, ...answered } = answer;
	const { host } = new URL(c.req.url);
	const view = <OrderView {...answered} proof={proof} token={null} host={host} />;
	return fragmentOf(spoken(say, view), answer.shown);
}

const fragmentOf = async (
	view: Parameters<typeof htmlOf>[0],
	{ version }: { readonly version: string },
): Promise<Response> => new Response(await htmlOf(view), { headers: { ...pageHeaders(), etag: `"${version}"` } });
