/** The operator's command line as tables: the line, the request, the output. */
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { optionName } from '../../src/operator/reading/values.ts';
import { type Topic, wordsOf } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

const COMMANDS = Object.entries<Topic>(TOPICS).flatMap(([topic, { commands }]) =>
	Object.entries(commands).map(([verb, declaration]) => ({ topic, words: wordsOf(topic, verb), declaration })),
);

const parse = (line: string) => parseCommandLine(line.split(' ').filter(Boolean));

/** The request that a command line becomes. */
function requestOf(line: string) {
	const parsed = parse(line);
	if (parsed.kind !== 'request') throw new Error(`no request: ${JSON.stringify(parsed)}`);
	return parsed;
}

function usageOf(line: string): string {
	const parsed = parse(line);
	if (parsed.kind !== 'usage') throw new Error(`no usage error: ${JSON.stringify(parsed)}`);
	return parsed.error;
}

function helpOf(line: string): string {
	const parsed = parse(line);
	if (parsed.kind !== 'text') throw new Error(`no help: ${JSON.stringify(parsed)}`);
	return parsed.text;
}

describe('requests', () => {
	it.each<[string, string, unknown]>([
		['partner create --name Acme', 'partner/create', { name: 'Acme' }],
		[
			'partner create --name=Acme --weight-per-minute 10 --afftax-bps 0 --max-ref-codes 5 --require-timestamp true',
			'partner/create',
			{ name: 'Acme', weightPerMinute: 10, afftaxBps: 0, maxRefCodes: 5, requireTimestamp: true },
		],
		['attention', 'attention', {}],
		['price list', 'price/list', {}],
		['price sources', 'price/sources', {}],
		['audit list', 'audit/list', {}],
		[
			'audit list --since 2026-11-20 --subject LTC>ETH --limit 5',
			'audit/list',
			{ since: '2026-11-20', subject: 'LTC>ETH', limit: 5 },
		],
		['order list -n 5', 'order/list', { limit: 5 }],
		[
			'order list --since 2d --until 90m --after 7f0c1ea9',
			'order/list',
			{ since: '2d', until: '90m', after: '7f0c1ea9' },
		],
		['order find 0xAbCd', 'order/find', { text: '0xAbCd' }],
		['partner list', 'partner/list', {}],
		['partner show p1', 'partner/show', { id: 'p1' }],
		['partner update p1 --enabled false', 'partner/update', { id: 'p1', enabled: false }],
		['partner update --enabled false p1', 'partner/update', { id: 'p1', enabled: false }],
		['partner update p1 --webhook-url none', 'partner/update', { id: 'p1', webhookUrl: null }],
		[
			'partner update p1 --webhook-url https://a.example',
			'partner/update',
			{ id: 'p1', webhookUrl: 'https://a.example' },
		],
		[
			'partner update p1 --events partner.paid_out,order.status_changed',
			'partner/update',
			{ id: 'p1', events: ['partner.paid_out', 'order.status_changed'] },
		],
		[
			'partner update p1 --payout-asset LTC --payout-address L1',
			'partner/update',
			{ id: 'p1', payoutAsset: 'LTC', payoutAddress: 'L1' },
		],
		['partner replace-secret p1 webhookSecret', 'partner/replace-secret', { id: 'p1', secret: 'webhookSecret' }],
		['order list', 'order/list', {}],
		[
			'order list --status done --partner p1 --attention --limit 5',
			'order/list',
			{ status: 'DONE', partner: 'p1', attention: true, limit: 5 },
		],
		['order show o1', 'order/show', { id: 'o1' }],
		['order delete o1', 'order/delete', { id: 'o1' }],
		['pair list', 'pair/list', {}],
		[
			'pair update LTC ETH --active false --min-usd 50 --max-usd 900',
			'pair/update',
			{ from: 'LTC', to: 'ETH', active: false, minUsd: 50, maxUsd: 900 },
		],
		['asset list', 'asset/list', {}],
		['asset update LTC --active true --reserve 12.5', 'asset/update', { code: 'LTC', active: true, reserve: '12.5' }],
		['asset update LTC --reserve none', 'asset/update', { code: 'LTC', reserve: null }],
		['asset update LTC --bestchange-code none', 'asset/update', { code: 'LTC', bestchangeCode: null }],
		['asset update LTC --fixedfloat-code out', 'asset/update', { code: 'LTC', fixedfloatCode: 'out' }],
		['network list', 'network/list', {}],
		['network check', 'network/check', {}],
		['network check Litecoin', 'network/check', { name: 'Litecoin' }],
		[
			'network update Litecoin --send false --receive true',
			'network/update',
			{ name: 'Litecoin', send: false, receive: true },
		],
		['site show', 'site/show', {}],
		['site update --maintenance on', 'site/update', { maintenance: true }],
		[
			'site update --maintenance off --daily-cap-usd 5 --base-fee-bps 0 --deposit-window-seconds 60',
			'site/update',
			{ maintenance: false, dailyCapUsd: 5, baseFeeBps: 0, depositWindowSeconds: 60 },
		],
		['webhook list', 'webhook/list', {}],
		[
			'webhook list --partner p1 --order o1 --failed --limit 5',
			'webhook/list',
			{ partner: 'p1', order: 'o1', failed: true, limit: 5 },
		],
		['webhook redeliver w1', 'webhook/redeliver', { id: 'w1' }],
		['earnings show p1', 'earnings/show', { partner: 'p1' }],
		['earnings pay-out p1', 'earnings/pay-out', { partner: 'p1' }],
		['payout settle p1 --tx-id t1 --reason late', 'payout/settle', { id: 'p1', txId: 't1', reason: 'late' }],
		['earnings pay-out p1 --tx-id t1', 'earnings/pay-out', { partner: 'p1', txId: 't1' }],
		['ledger check', 'ledger/check', {}],
		['sandbox deposit o1', 'sandbox/deposit', { orders: ['o1'] }],
		[
			'sandbox deposit o1 o2 --amount 0.10 --confirmations 0',
			'sandbox/deposit',
			{ orders: ['o1', 'o2'], amount: '0.10', confirmations: 0 },
		],
		['sandbox confirm o1 o2 o3', 'sandbox/confirm', { orders: ['o1', 'o2', 'o3'] }],
		['sandbox drop o1', 'sandbox/drop', { order: 'o1' }],
		['sandbox price LTC 95.50', 'sandbox/price', { coin: 'LTC', usd: '95.50' }],
	])('%s', (line, path, input) => {
		const request = requestOf(line);
		expect(request).toMatchObject({ path, format: 'table', wide: false, watch: null });
		expect(request.input).toEqual(input);
		expect(request.declaration.input.safeParse(input).error?.issues).toBeUndefined();
	});

	it.each(['--json order list', 'order --json list', 'order list --json'])('%s asks for JSON', (line) => {
		expect(requestOf(line)).toMatchObject({ path: 'order/list', input: {}, format: 'json' });
	});

	it.each(['--wide pair list', 'pair list --wide', 'attention --wide'])('%s asks for tables of full width', (line) => {
		expect(parse(line)).toMatchObject({ kind: 'request', wide: true, format: 'table' });
	});

	it('keeps the spaces in a value', () => {
		const parsed = parseCommandLine(['partner', 'create', '--name', 'Acme and Sons']);
		expect(parsed).toMatchObject({ kind: 'request', input: { name: 'Acme and Sons' } });
	});
});

describe('one vocabulary', () => {
	it.each(['on', 'true'])('%s switches on', (word) => {
		expect(requestOf(`site update --maintenance ${word}`).input).toEqual({ maintenance: true });
		expect(requestOf(`pair update LTC ETH --active ${word}`).input).toMatchObject({ active: true });
	});

	it.each(['off', 'false'])('%s switches off', (word) => {
		expect(requestOf(`site update --maintenance ${word}`).input).toEqual({ maintenance: false });
		expect(requestOf(`partner update p1 --enabled ${word}`).input).toMatchObject({ enabled: false });
	});

	it('takes a negative number as a value, which the service judges', () => {
		for (const line of ['pair update LTC ETH --min-usd -5', 'pair update LTC ETH --min-usd=-5'])
			expect(requestOf(line).input).toMatchObject({ minUsd: -5 });
		expect(requestOf('asset update LTC --reserve -5').input).toMatchObject({ reserve: '-5' });
	});
});

describe('how the answer is printed', () => {
	it.each<[string, object]>([
		['order list', { format: 'table', wide: false, watch: null }],
		['order list --format csv', { format: 'csv' }],
		['--format json order list', { format: 'json' }],
		['order list --json --format json', { format: 'json' }],
		['order list --watch', { watch: 5 }],
		['attention --watch 30 --wide', { watch: 30, wide: true }],
	])('%s', (line, output) => {
		expect(requestOf(line)).toMatchObject(output);
	});

	it.each<[string, RegExp]>([
		['order list --format xml', /^--format takes table, csv, json, not xml$/],
		['order list --json --format csv', /exclude each other/],
		['order show o1 --format csv', /^order show gives no list; --format csv is for lists$/],
		['order refund o1 --watch', /^order refund changes something; --watch is for commands that only read$/],
		['order list --watch --json', /^--watch draws tables; it does not go with json$/],
		['order show --watch o1', /^--watch takes seconds from 1 to 86400, not o1; without them put it last$/],
		['order list --watch 0', /^--watch takes seconds/],
	])('%s is refused', (line, error) => {
		expect(usageOf(line)).toMatch(error);
	});

	it('every list can be watched and printed as CSV, and nothing that changes something can be watched', () => {
		for (const { words, declaration } of COMMANDS) {
			const reads =
				/(^morning|^attention|^doctor|^treasury plan$|^partner (access|keys)$|^report|^keys (plan|left)|^restored forgotten|^export \w+|list|sources|show|check|find|history|verify)$/.test(
					words,
				);
			expect([words, declaration.reads === true]).toEqual([words, reads]);
			if (/list$/.test(words)) expect([words, declaration.columns]).toEqual([words, expect.any(Array)]);
		}
	});
});

describe('usage errors, each one line that says what to do', () => {
	it.each<[string, RegExp]>([
		['frobnicate', /^unknown command 'frobnicate'; see npx exchange --help$/],
		['constructor', /^unknown command 'constructor'/],
		['partner frobnicate', /^unknown command 'frobnicate'; see npx exchange partner --help$/],
		['--limit 5 order list', /^unknown option '--limit'/],
		['partner create', /^required option '--name <NAME>' not specified; see npx exchange partner create --help$/],
		['partner create --name', /^option '--name <NAME>' argument missing/],
		['partner create --name=', /--name needs a value/],
		[
			'partner create --nome x',
			/^unknown option '--nome' .Did you mean --name\?.; see npx exchange partner create --help$/,
		],
		['partner create --name a --name b', /--name is given twice/],
		['partner create --name a stray', /^too many arguments for 'create'. Expected 0 arguments but got 1: stray; see/],
		['partner create --name a --require-timestamp yes', /--require-timestamp takes on or off, not yes/],
		['partner create --name a --require-timestamp', /^option '--require-timestamp .*' argument missing/],
		['partner create --name a --afftax-bps 1.5', /--afftax-bps takes a whole number, not 1.5/],
		['partner create --name a --afftax-bps 1e3', /--afftax-bps takes a whole number, not 1e3/],
		[
			'partner create --name a --events everything',
			/--events takes order.status_changed, partner.paid_out, partner.attention, not everything/,
		],
		['partner create --name a --events partner.paid_out,', /--events needs a value/],
		['partner show', /^missing required argument 'ID'; see npx exchange partner show --help$/],
		['partner update p1', /^nothing to change; see npx exchange partner update --help$/],
		['partner update --enabled true', /missing required argument 'ID'/],
		['partner replace-secret p1', /missing required argument 'apiSecret.webhookSecret'/],
		['partner replace-secret p1 apiKey', /apiKey is not one of apiSecret, webhookSecret/],
		['order list --status OPEN', /--status takes NEW, .*, not OPEN/],
		['order list --attention=yes', /unknown option '--attention=yes'/],
		['pair update LTC ETH', /^nothing to change; see npx exchange pair update --help$/],
		['pair update LTC --active true', /missing required argument 'TO'/],
		['pair update LTC ETH --active yes', /--active takes on or off, not yes/],
		['pair update LTC ETH --min-usd 40.5', /--min-usd takes a whole number, not 40.5/],
		['asset update LTC --reserve=', /--reserve needs a value/],
		['network update --send false', /missing required argument 'NAME'/],
		['site update', /^nothing to change; see npx exchange site update --help$/],
		['site update --maintenance 1', /--maintenance takes on or off, not 1/],
		['site update --maintenance', /option '--maintenance <on.off>' argument missing/],
		['webhook redeliver', /missing required argument 'ID'/],
		['earnings show', /missing required argument 'PARTNER'/],
		['ledger check all', /too many arguments for 'check'/],
		['sandbox deposit', /missing required argument 'ORDER'/],
		['sandbox drop o1 o2', /too many arguments for 'drop'/],
		['attention all', /too many arguments for 'attention'/],
		['attention --limit 5', /^unknown option '--limit'; see npx exchange attention --help$/],
		['sandbox price LTC', /missing required argument 'USD'/],
		['oder list', /^unknown command 'oder' .Did you mean order\?.; see npx exchange --help$/],
		['order lsit', /^unknown command 'lsit' .Did you mean list\?.; see npx exchange order --help$/],
		['list', /^unknown command 'list'; see/],
	])('%s', (line, error) => {
		expect(usageOf(line)).toMatch(error);
		expect(usageOf(line)).not.toContain('\n');
	});
});

describe('help', () => {
	it.each(['--help', '-h', '--help --json', 'help'])('%s names every command', (line) => {
		for (const { words } of COMMANDS) expect(helpOf(line)).toContain(`  ${words} `);
	});

	it.each(Object.keys(TOPICS))('%s --help names its own commands', (name) => {
		const help = helpOf(`${name} --help`);
		for (const { topic, words, declaration } of COMMANDS) {
			if (words === name) expect(help.toLowerCase()).toContain(declaration.summary.toLowerCase());
			else if (topic === name) expect(help).toContain(declaration.summary);
			else expect(help).not.toContain(declaration.summary);
		}
	});

	it.each(COMMANDS)('$words --help explains arguments and options', ({ words, declaration }) => {
		const help = helpOf(`${words} --help`);
		for (const { name, help: about } of Object.values(declaration.arguments ?? {}))
			expect(help).toMatch(lineWith(name, about));
		for (const [field, { help: about }] of Object.entries(declaration.options))
			expect(help).toMatch(lineWith(`--${optionName(field)}`, about));
		for (const line of [`--help ${words}`, `help ${words}`]) expect(helpOf(line)).toBe(help);
	});

	it('a topic without a command prints its help, and no topic that of all', () => {
		expect(helpOf('partner')).toBe(helpOf('partner --help'));
		expect(helpOf('')).toBe(helpOf('--help'));
	});

	it('fits the width of the terminal', () => {
		const parsed = parseCommandLine(['partner', 'update', '--help'], 80);
		const text = parsed.kind === 'text' ? parsed.text : '';
		expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
		expect(text).toContain('--payout-address');
	});

	it('--version is that of package.json', () => {
		expect(helpOf('--version')).toMatch(/^\d+\.\d+\.\d+$/);
	});

	const lineWith = (name: string, about: string) =>
		new RegExp(`^ +(?:-\\w, )?${escaped(name)}.*${escaped(about)}`, 'm');
	const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
});
