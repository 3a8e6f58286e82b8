/**
 * The chapters of the guide, in the order in which they are read. What the API's document says as well is one text in
 * both places (`docs/document.ts`).
 */
import { assetsText } from './assets.ts';
import embed from './embed.md';
import emergencies from './emergencies.md';
import feed from './feed.md';
import keysIntro from './keys.md';
import limits from './limits.md';
import orders from './orders.md';
import promises from './promises.md';
import quickstart from './quickstart.md';
import rawBodies from './raw-bodies.md';
import requests from './requests.md';
import retries from './retries.md';
import { ERROR_TABLE, KEYS, LIMITS, OVERVIEW, SIGNING, STATES, VERSIONING, WEBHOOKS } from './rules.ts';
import sandbox from './sandbox.md';
import signingIntro from './signing.md';
import webhooks from './webhooks.md';
import { WORKED_BYTES } from './worked-bytes.ts';

export interface GuideChapter {
	readonly name: string;
	readonly title: string;
	/** One sentence: what a reader knows afterwards. */
	readonly summary: string;
	/** Markdown; its first line is the title as a heading. */
	readonly text: string;
}

export const guidePath = ({ name }: Pick<GuideChapter, 'name'>): string => `/docs/${name}`;

/** Parts of the document's description that have chapters of their own here. */
const CHAPTER_OF: readonly (readonly [anchor: string, path: string])[] = [
	['signing', '/docs/signing'],
	['keys', '/docs/keys'],
	['webhooks', '/docs/webhooks'],
];

/** `written` begins with the title; its text is put together when it is first asked for, not when a Worker starts. */
function chapter(
	[name, title, summary]: readonly [string, string, string],
	written: string,
	...parts: readonly string[]
): GuideChapter {
	return {
		name,
		title,
		summary,
		get text() {
			const text = [written.trimEnd(), ...parts].join('\n\n');
			return CHAPTER_OF.reduce((all, [anchor, path]) => all.replaceAll(`](#${anchor})`, `](${path})`), text);
		},
	};
}

/** The document's chapter under another heading: its own would repeat the title of the page. */
const rules = (text: string): string => text.replace(/^## .+/, '## The rules');

/** Without its first paragraph, which the quickstart says in other words. */
const ENVELOPE = OVERVIEW.slice(OVERVIEW.indexOf('## Envelope'));

export const GUIDE_CHAPTERS: readonly GuideChapter[] = [
	chapter(
		['quickstart', 'Quickstart: a first swap', 'A first swap, from a price to the payout, in ten minutes.'],
		quickstart,
	),
	chapter(
		['orders', 'How an order works', 'What happens to an order, and what to show your user in each state.'],
		orders,
		STATES,
	),
	chapter(
		['signing', 'Signing a call', 'Which bytes are signed, shown byte by byte.'],
		signingIntro,
		WORKED_BYTES,
		rules(SIGNING),
	),
	chapter(['keys', 'Keys', 'Which key belongs where, and how to change keys without a pause.'], keysIntro, rules(KEYS)),
	chapter(
		['requests', 'Requests, answers and errors', 'The envelope, amounts, and what to do for each error.'],
		requests,
		ENVELOPE,
		ERROR_TABLE,
	),
	chapter(['retries', 'Idempotency and retries', 'How to repeat a call and never make a second order.'], retries),
	chapter(
		['webhooks', 'Webhooks', 'Verify an event, put events in order, have them sent again, test your endpoint.'],
		webhooks,
		rules(WEBHOOKS),
	),
	chapter(
		[
			'raw-bodies',
			'Raw bodies in your framework',
			'Take the bytes that were signed in Express, Next.js, Laravel and others.',
		],
		rawBodies,
	),
	chapter(
		['emergencies', 'Emergencies', 'Too little, too much, too late: what happens and what you can do.'],
		emergencies,
	),
	chapter(
		['embed', 'Embed: your name, your pages', 'Your name and logo on order pages, and a widget for your site.'],
		embed,
	),
	chapter(['sandbox', 'The sandbox', 'Run the whole service on your machine and play every case.'], sandbox),
	chapter(['limits', 'Limits', 'How much you may call, and how large an order may be.'], limits, rules(LIMITS)),
	chapter(
		[
			'assets',
			'Assets, confirmations and times',
			'Every asset with its network, contract, confirmations and usual minutes.',
		],
		assetsText(),
	),
	chapter(['feed', 'The rate feed', 'The rate feed for monitors and aggregators.'], feed),
	chapter(
		['promises', 'What is promised, and what not', 'What you can rely on, what you cannot, and the weak points.'],
		promises,
		VERSIONING,
	),
];
