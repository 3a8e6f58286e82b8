/** The operator's command line as tables: the line, the request, the output. */
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { cell, render } from '../../src/operator/cli/render.ts';
import { optionName } from '../../src/operator/cli/values.ts';
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
	if (parsed.kind !== 'help') throw new Error(`no help: ${JSON.stringify(parsed)}`);
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
		['audit list', 'audit/list', {}],
		[
			'audit list --since 2026-11-20 --subject LTC>ETH --limit 5',
			'audit/list',
			{ since: '2026-11-20', subject: 'LTC>ETH', limit: 5 },
		],
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
		expect(request).toMatchObject({ path, json: false });
		expect(request.input).toEqual(input);
		expect(request.declaration.input.safeParse(input).error?.issues).toBeUndefined();
	});

	it.each(['--json order list', 'order --json list', 'order list --json'])('%s asks for JSON', (line) => {
		expect(requestOf(line)).toMatchObject({ path: 'order/list', input: {}, json: true });
	});

	it.each(['--wide pair list', 'pair list --wide', 'attention --wide'])('%s asks for tables of full width', (line) => {
		expect(parse(line)).toMatchObject({ kind: 'request', wide: true, json: false });
	});

	it('keeps the spaces in a value', () => {
		const parsed = parseCommandLine(['partner', 'create', '--name', 'Acme and Sons']);
		expect(parsed).toMatchObject({ kind: 'request', input: { name: 'Acme and Sons' } });
	});
});

describe('usage errors, each one line that says what to do', () => {
	it.each<[string, RegExp]>([
		['', /^no command; npx exchange --help lists them$/],
		['frobnicate', /^unknown command 'frobnicate'; see npx exchange --help$/],
		['constructor', /^unknown command 'constructor'/],
		['partner', /^partner needs a command; npx exchange partner --help lists them$/],
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
		['partner create --name a --require-timestamp yes', /--require-timestamp takes true or false, not yes/],
		['partner create --name a --require-timestamp', /^option '--require-timestamp .*' argument missing/],
		['partner create --name a --afftax-bps 1.5', /--afftax-bps takes a whole number, not 1.5/],
		['partner create --name a --afftax-bps=-1', /--afftax-bps takes a whole number, not -1/],
		['partner create --name a --afftax-bps 1e3', /--afftax-bps takes a whole number, not 1e3/],
		[
			'partner create --name a --events everything',
			/--events takes order.status_changed, partner.paid_out, not everything/,
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
		['pair update LTC ETH --active on', /--active takes true or false, not on/],
		['pair update LTC ETH --min-usd 40.5', /--min-usd takes a whole number, not 40.5/],
		['asset update LTC --reserve=', /--reserve needs a value/],
		['network update --send false', /missing required argument 'NAME'/],
		['site update', /^nothing to change; see npx exchange site update --help$/],
		['site update --maintenance true', /--maintenance takes on or off, not true/],
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

	it('fits the width of the terminal', () => {
		const parsed = parseCommandLine(['partner', 'update', '--help'], 80);
		const text = parsed.kind === 'help' ? parsed.text : '';
		expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
		expect(text).toContain('--payout-address');
	});

	it('--version is that of package.json', () => {
		expect(helpOf('--version')).toMatch(/^\d+\.\d+\.\d+$/);
	});

	const lineWith = (name: string, about: string) => new RegExp(`^ +${escaped(name)}.*${escaped(about)}`, 'm');
	const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
});

describe('rendering', () => {
	it('shows a list as a table of the chosen columns, also of empty ones', () => {
		const rows = [
			{ id: 'a', priceUsd: null, at: '2026-11-22T02:31:27.123Z', secondary: 1 },
			{ id: 'bcd', priceUsd: null, at: null, secondary: 2 },
		];
		expect(render(rows, { columns: ['id', 'priceUsd', 'at'] }, 80)).toBe(
			['ID   PRICE USD  AT', 'a    -          2026-11-22 02:31:27', 'bcd  -          -'].join('\n'),
		);
	});

	const NETWORKS = [
		{ name: 'Litecoin', answers: true, hotAddress: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', lastError: null },
		{
			name: 'Dash',
			answers: false,
			hotAddress: 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5',
			lastError: 'connect: the node at 127.0.0.1 does not answer, and neither does the other one that was named',
		},
	];
	const NETWORK_COLUMNS = { columns: ['name', 'answers', 'hotAddress', 'lastError'] };

	it.each([80, 120])('keeps a table within %i columns when a row is long, and loses nothing', (width) => {
		const text = render(NETWORKS, NETWORK_COLUMNS, width);
		const lines = text.split('\n');
		expect(lines[0]).toMatch(/^NAME +ANSWERS +HOT ADDRESS +LAST ERROR$/);
		expect(lines.filter((line) => /^(Litecoin|Dash) /.test(line))).toHaveLength(2);
		expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
		for (const { lastError } of NETWORKS.slice(1)) {
			for (const word of lastError?.split(' ') ?? []) expect(text).toContain(word);
		}
		// Every character of the longest word is in its column, though the word may be broken.
		const at = lines[0]?.indexOf('HOT ADDRESS') ?? 0;
		const end = lines[0]?.indexOf('LAST ERROR') ?? 0;
		expect(lines.map((line) => line.slice(at, end).trim()).join('')).toContain(NETWORKS[0]?.hotAddress);
	});

	it('wraps nothing when asked not to', () => {
		const lines = render(NETWORKS, NETWORK_COLUMNS, Number.POSITIVE_INFINITY).split('\n');
		expect(lines).toHaveLength(3);
		expect(lines[2]).toContain(NETWORKS[1]?.lastError);
	});

	it('aligns columns with names in Chinese and emoji, and breaks none of their characters', () => {
		const rows = [
			{ name: '交易所合作伙伴', id: 'a' },
			{ name: '👩‍👩‍👧 shop', id: 'b' },
			{ name: 'Acme', id: 'c' },
		];
		expect(render(rows, { columns: ['name', 'id'] }, 80)).toBe(
			['NAME            ID', '交易所合作伙伴  a', '👩‍👩‍👧 shop         b', 'Acme            c'].join('\n'),
		);
		expect(render(rows.slice(0, 2), { columns: ['name', 'id'] }, 12)).toBe(
			['NAME      ID', '交易所合  a', '作伙伴', '👩‍👩‍👧 shop   b'].join('\n'),
		);
	});

	it('shows the lists of a record as tables of their declared columns', () => {
		const record = { problems: 1, checks: [{ network: 'Dash', ok: false, detail: 'no answer', more: 1 }] };
		const sections = { checks: ['network', 'ok', 'detail'] };
		expect(render(record, { sections }, 80)).toBe(
			['problems  1', '', 'CHECKS', '  NETWORK  OK     DETAIL', '  Dash     false  no answer'].join('\n'),
		);
	});

	it('shows an inner list that is too wide for a table as cards, complete', () => {
		const record = { payouts: [{ id: 'a', txId: 'f'.repeat(64) }] };
		expect(render(record, {}, 40)).toBe(`PAYOUTS\n  id    a\n  txId  ${'f'.repeat(64)}`);
	});

	it('says so when a list is empty', () => {
		expect(render([], { columns: ['id'] }, 80)).toBe('Nothing found.');
	});

	it('shows a record as a card with sections', () => {
		const record = {
			order: { id: 'o1', to: { amount: '1' } },
			attention: ['late'],
			history: [{ sequence: 0, status: 'NEW' }],
			webhooks: [{ id: 'w1', deliveries: [{ attempt: 1, status: 200 }] }],
		};
		expect(render(record, {}, 80)).toBe(
			[
				'attention  late',
				'',
				'ORDER',
				'  id  o1',
				'',
				'  TO',
				'    amount  1',
				'',
				'HISTORY',
				'  SEQUENCE  STATUS',
				'  0         NEW',
				'',
				'WEBHOOKS',
				'  id  w1',
				'',
				'  DELIVERIES',
				'    ATTEMPT  STATUS',
				'    1        200',
			].join('\n'),
		);
	});

	it.each<[unknown, string]>([
		[null, '-'],
		['', '-'],
		[[], '-'],
		[0, '0'],
		[false, 'false'],
		[['a', 'b'], 'a, b'],
		['two\nlines\u001b[31m', 'two lines [31m'],
	])('cell %j', (value, text) => {
		expect(cell(value)).toBe(text);
	});
});
