/**
 * In which language a payer's page answers: `?lang=` of its address, then what its reader chose here before, then the
 * language that the partner fixed, then the browser's, then English (book: run, "Order pages").
 */
import type { Context, MiddlewareHandler } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { parseAccept } from 'hono/utils/accept';
import { type Language, languageOf } from '../partners/languages.ts';
import { DAY_SECONDS } from '../platform/time.ts';
import type { PageEnv } from './env.ts';
import { type Say, sayIn } from './say.ts';

const COOKIE = 'language';

/** Their answer depends on these, where somebody may keep it. */
export const VARY = { vary: 'accept-language, cookie' };

/** `fixed`: by the partner of the order that is shown. */
export function sayFor(c: Context<PageEnv>, fixed: Language | null = null): Promise<Say> {
	const wanted = languageOf(c.req.query('lang') ?? '') ?? languageOf(getCookie(c, COOKIE) ?? '') ?? fixed;
	return sayIn(wanted ?? accepted(c.req.header('accept-language')) ?? 'en', c.env.ASSETS);
}

function accepted(header: string | undefined): Language | null {
	for (const { type } of parseAccept(header ?? '')) {
		const known = languageOf(type);
		if (known) return known;
	}
	return null;
}

/** The language that a reader chose on the page, with the cookie that keeps it; null where it is none of ours. */
export function choiceIn(c: Context, chosen: unknown): { readonly language: Language; readonly cookie: string } | null {
	const language = typeof chosen === 'string' ? languageOf(chosen) : null;
	if (!language) return null;
	const secure = new URL(c.req.url).protocol === 'https:';
	const maxAge = 365 * DAY_SECONDS;
	return {
		language,
		cookie: generateCookie(COOKIE, language, { maxAge, path: '/', httpOnly: true, sameSite: 'Lax', secure }),
	};
}

/** A choice in an address leads on to the page in that language. The script adds what the order's page needs. */
export const followChoice: MiddlewareHandler = async (c, next) => {
	const choice = c.req.method === 'GET' ? choiceIn(c, c.req.query('choose')) : null;
	if (!choice) return next();
	const headers = { location: `?lang=${choice.language}`, 'set-cookie': choice.cookie, 'cache-control': 'no-store' };
	return new Response(null, { status: 303, headers });
};
