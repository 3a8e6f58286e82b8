/** What an evaluation of alerts changes, the variables of alerts, and the files that hold the lines. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineFiles } from '../../src/local/line-files.ts';
import { alertKey, changesOf } from '../../src/operator/alerts/changes.ts';
import { alertBody } from '../../src/operator/alerts/post.ts';
import type { AlertRow } from '../../src/operator/alerts/table.ts';
import { alertProblems, alertTarget, quietMilliseconds } from '../../src/operator/alerts/target.ts';
import { byCause, type Waiting } from '../../src/operator/attention/waiting.ts';

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;

const waits = (subject: string, more: Partial<Waiting> = {}): Waiting => ({
	area: 'order',
	subject,
	cause: 'because',
	since: null,
	amount: null,
	usd: null,
	todo: 'this',
	...more,
});
const row = (subject: string, more: Partial<AlertRow> = {}): AlertRow => ({
	key: `order ${subject}`,
	state: 'told',
	eventId: subject,
	area: 'order',
	subject,
	cause: 'because',
	todo: 'this',
	since: null,
	raisedAt: NOW,
	goneAt: null,
	attempts: 1,
	nextAttemptAt: NOW,
	lastError: null,
	...more,
});
const decide = (waiting: Waiting[], stored: AlertRow[], unread: string[] = []) => {
	const { raised, ...rows } = changesOf(waiting, stored, {
		unread: new Set(unread),
		quietMilliseconds: 10 * MINUTE,
		now: NOW,
	});
	const named = Object.entries(rows).map(([what, each]) => [what, each.map(({ subject }) => subject)] as const);
	return Object.fromEntries(
		[['raised', raised.map(([key]) => key)] as const, ...named].filter(([, list]) => list.length),
	);
};

describe('an evaluation', () => {
	it.each([
		['raises what is new', [waits('a')], [], { raised: ['order a'] }],
		['changes nothing where nothing has changed', [waits('a')], [row('a')], {}],
		['notes what is gone', [], [row('a')], { gone: ['a'] }],
		['waits for the quiet time', [], [row('a', { goneAt: NOW - 10 * MINUTE + 1 })], {}],
		['then says that it is over', [], [row('a', { goneAt: NOW - 10 * MINUTE })], { over: ['a'] }],
		['does not say so of what was not told', [], [row('a', { state: 'raised', goneAt: NOW - 60 * MINUTE })], {}],
		['notes what is back', [waits('a')], [row('a', { goneAt: NOW - MINUTE })], { back: ['a'] }],
		['leaves alone what is told to be over', [waits('a')], [row('a', { state: 'over', goneAt: NOW - MINUTE })], {}],
		[
			'drops after a week what nobody accepts',
			[],
			[row('a', { state: 'over', goneAt: NOW - 7 * 1440 * MINUTE - 1 })],
			{ dropped: ['a'] },
		],
	])('%s', (_, waiting, stored, expected) => {
		expect(decide(waiting, stored)).toEqual(expected);
	});

	it('takes nothing to be gone in an area that could not be read, or whose list was cut', () => {
		expect(decide([], [row('a')], ['order'])).toEqual({});
		const many = Array.from({ length: 200 }, (_, i) => waits(String(i)));
		const stored = many.map(({ subject }) => row(subject));
		expect(decide(many, [...stored, row('a')])).toEqual({});
	});

	it('raises one alert for a cause that many rows have, and takes nothing to be gone meanwhile', () => {
		const shared = { key: 'signer-unreachable', cause: 'no answer', todo: 'it is asked again', of: 'it' };
		const many = (count: number) => byCause(Array.from({ length: count }, (_, i) => waits(String(i), { shared })));
		expect(decide(many(1), [])).toEqual({ raised: ['order signer-unreachable'] });
		expect(decide(many(50), [])).toEqual({ raised: ['order signer-unreachable'] });
		const told = row('0', { key: 'order signer-unreachable' });
		expect(decide(many(50), [told, row('a')])).toEqual({});
		expect(decide([], [told, row('a')])).toEqual({ gone: ['0', 'a'] });
	});

	it('raises at most 100 alerts at once', () => {
		expect(
			decide(
				Array.from({ length: 150 }, (_, i) => waits(String(i))),
				[],
			)['raised'],
		).toHaveLength(100);
	});

	it('tells two rows of one subject apart', () => {
		const keys = ['ended', 'failing'].map((sort) => alertKey(waits('p', { area: 'webhook', sort })));
		expect(keys).toEqual(['webhook ended p', 'webhook failing p']);
	});

	it('gives the same body for the same row, and the time of its end with its end', () => {
		const over = row('a', { state: 'over', goneAt: NOW + MINUTE });
		expect(alertBody(over)).toBe(alertBody({ ...over, attempts: 7, nextAttemptAt: 0, lastError: 'x' }));
		expect(JSON.parse(alertBody(over))).toMatchObject({
			type: 'alert.over',
			createdAt: new Date(NOW + MINUTE).toISOString(),
			text: 'Over: order a: because',
		});
	});
});

describe('the variables of alerts', () => {
	const good = { ALERT_WEBHOOK_URL: 'https://example.com/alerts', ALERT_WEBHOOK_SECRET: '0123456789abcdef' };

	it.each([
		[{}, []],
		[good, []],
		[{ ...good, ALERT_WEBHOOK_URL: 'http://example.com' }, ['ALERT_WEBHOOK_URL']],
		[{ ...good, ALERT_WEBHOOK_URL: 'https://169.254.169.254/latest' }, ['ALERT_WEBHOOK_URL']],
		[{ ...good, ALERT_WEBHOOK_URL: 'http://127.0.0.1/' }, ['ALERT_WEBHOOK_URL']],
		[{ ...good, ALERT_WEBHOOK_URL: 'http://127.0.0.1/', WEBHOOK_LOOPBACK: 'allowed' }, []],
		[{ ALERT_WEBHOOK_URL: good.ALERT_WEBHOOK_URL }, ['ALERT_WEBHOOK_SECRET']],
		[{ ...good, ALERT_WEBHOOK_SECRET: 'short' }, ['ALERT_WEBHOOK_SECRET']],
	])('%j: what is wrong is named, and nothing is posted', (variables, wrong) => {
		expect(alertProblems(variables).map(({ variable }) => variable)).toEqual(wrong);
		expect(alertTarget(variables) === null).toBe(wrong.length > 0 || !('ALERT_WEBHOOK_URL' in variables));
	});

	it.each([
		[undefined, 10],
		['0', 0],
		['90', 90],
		['-1', 10],
		['1441', 10],
		['soon', 10],
	])('the quiet time %s is %d minutes', (text, minutes) => {
		const variables = { ...good, ...(text !== undefined && { ALERT_QUIET_MINUTES: text }) };
		expect(quietMilliseconds(variables)).toBe(minutes * MINUTE);
		const isWrong = text !== undefined && Number(text) !== minutes;
		expect(alertProblems(variables).map(({ variable }) => variable)).toEqual(isWrong ? ['ALERT_QUIET_MINUTES'] : []);
	});
});

describe('the files of the local service', () => {
	it('hold events and metrics apart, and no more than twice their bound', async () => {
		const directory = mkdtempSync(join(tmpdir(), 'lines-'));
		const write = lineFiles(directory, { 'service.log': 1_000, 'metrics.log': 1_000 });
		for (let i = 0; i < 100; i++) {
			write('T', `{"event":"a","i":${i}}`);
			write('T', `{"metric":"b","i":${i}}`);
		}
		await new Promise((wait) => setTimeout(wait, 50));
		const read = (name: string) => readFileSync(join(directory, name), 'utf8');
		expect(read('service.log')).toMatch(/^(?:T \{"event":"a","i":\d+\}\n)+$/);
		expect(read('metrics.log')).toMatch(/^(?:T \{"metric":"b","i":\d+\}\n)+$/);
		expect(read('service.log')).toContain('"i":99}');
		for (const name of ['service.log', 'service.log.1', 'metrics.log', 'metrics.log.1'])
			expect(statSync(join(directory, name)).size).toBeLessThan(1_100);
		rmSync(directory, { recursive: true });
	});
});
