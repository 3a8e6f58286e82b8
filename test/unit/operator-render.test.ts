/** What people see of an answer: tables, cards, times, colours, CSV, and the sentence above an order. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cell } from '../../src/operator/cli/cell.ts';
import { headline } from '../../src/operator/cli/headlines.ts';
import { render } from '../../src/operator/cli/render.ts';
import { csv } from '../../src/operator/reading/csv.ts';
import { relativeText } from '../../src/operator/reading/time.ts';

const NOW = Date.parse('2026-11-22T02:31:27.123Z');
const within = (width: number) => ({ width, now: NOW, wide: false, color: false });

describe('rendering', () => {
	it('shows a list as a table of the chosen columns, also of empty ones', () => {
		const rows = [
			{ id: 'a', priceUsd: null, at: '2026-11-22T02:28:27.123Z', secondary: 1 },
			{ id: 'bcd', priceUsd: null, at: null, secondary: 2 },
		];
		expect(render(rows, { columns: ['id', 'priceUsd', 'at'] }, within(80))).toBe(
			['ID   PRICE USD  AT', 'a    -          3 min ago', 'bcd  -          -'].join('\n'),
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
		const text = render(NETWORKS, NETWORK_COLUMNS, within(width));
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
		const lines = render(NETWORKS, NETWORK_COLUMNS, within(Number.POSITIVE_INFINITY)).split('\n');
		expect(lines).toHaveLength(3);
		expect(lines[2]).toContain(NETWORKS[1]?.lastError);
	});

	it('aligns columns with names in Chinese and emoji, and breaks none of their characters', () => {
		const rows = [
			{ name: '交易所合作伙伴', id: 'a' },
			{ name: '👩‍👩‍👧 shop', id: 'b' },
			{ name: 'Acme', id: 'c' },
		];
		expect(render(rows, { columns: ['name', 'id'] }, within(80))).toBe(
			['NAME            ID', '交易所合作伙伴  a', '👩‍👩‍👧 shop         b', 'Acme            c'].join('\n'),
		);
		expect(render(rows.slice(0, 2), { columns: ['name', 'id'] }, within(12))).toBe(
			['NAME      ID', '交易所合  a', '作伙伴', '👩‍👩‍👧 shop   b'].join('\n'),
		);
	});

	it('shows the lists of a record as tables of their declared columns', () => {
		const record = { problems: 1, checks: [{ network: 'Dash', ok: false, detail: 'no answer', more: 1 }] };
		const sections = { checks: ['network', 'ok', 'detail'] };
		expect(render(record, { sections }, within(80))).toBe(
			['problems  1', '', 'CHECKS', '  NETWORK  OK  DETAIL', '  Dash     no  no answer'].join('\n'),
		);
	});

	it('shows an inner list that is too wide for a table as cards, complete', () => {
		const record = { payouts: [{ id: 'a', txId: 'f'.repeat(64) }] };
		expect(render(record, {}, within(40))).toBe(`PAYOUTS\n  id    a\n  txId  ${'f'.repeat(64)}`);
	});

	it('says so when a list is empty', () => {
		expect(render([], { columns: ['id'] }, within(80))).toBe('Nothing found.');
	});

	it('shows a record as a card with sections', () => {
		const record = {
			order: { id: 'o1', to: { amount: '1' } },
			attention: ['late'],
			history: [{ sequence: 0, status: 'NEW' }],
			webhooks: [{ id: 'w1', deliveries: [{ attempt: 1, status: 200 }] }],
		};
		expect(render(record, {}, within(80))).toBe(
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
		[false, 'no'],
		[['a', 'b'], 'a, b'],
		['two\nlines\u001b[31m', 'two lines [31m'],
	])('cell %j', (value, text) => {
		expect(cell(value)).toBe(text);
	});
});

describe('what a table leaves to --wide', () => {
	const ROWS = [
		{
			id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
			partnerId: 'a'.repeat(32),
			asked: '2',
			from: 'LTC',
			received: null,
			createdAt: '2026-11-22T02:28:27.123Z',
			todo: '`order refund 7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce`',
		},
	];
	const layout = {
		columns: [
			'id',
			'createdAt',
			{ title: 'asked', fields: ['asked', 'from'] },
			{ title: 'got', fields: ['received', 'from'] },
			'todo',
			'attention',
		],
		wide: ['partnerId'],
	};

	it('ids are their first characters and times are relative; a column that no row knows is left out', () => {
		expect(render(ROWS, layout, within(80))).toBe(
			['ID        CREATED AT  ASKED  GOT  TODO', '7f0c1ea9  3 min ago   2 LTC  -    `order refund 7f0c1ea9`'].join(
				'\n',
			),
		);
	});

	it('--wide has whole ids, absolute times and all columns', () => {
		const [head, line] = render(ROWS, layout, { ...within(Number.POSITIVE_INFINITY), wide: true }).split('\n');
		expect(head).toMatch(/TODO +PARTNER ID$/);
		expect(line).toContain('7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce  2026-11-22 02:28:27  2 LTC');
		expect(line).toContain('a'.repeat(32));
	});

	it('a card has both times and whole ids, wraps sentences at blanks, and leaves signed bytes out', () => {
		const record = {
			id: ROWS[0]?.id,
			at: '2026-11-20T02:31:27.123Z',
			held: 'blocked: the node does not answer',
			raw: 'ff'.repeat(200),
			time: { reg: Date.parse('2026-11-22T02:31:00Z') / 1000 },
			sweeps: [],
		};
		expect(render(record, {}, within(30))).toBe(
			[
				'id    7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
				'at    2026-11-20 02:31:27 (2 d\n      ago)',
				'held  blocked: the node does\n      not answer',
				'',
				'TIME',
				'  reg  2026-11-22 02:31:00 (27\n       s ago)',
				'',
				'None: sweeps',
			].join('\n'),
		);
	});
});

describe('times and truths', () => {
	it.each<[number, string]>([
		[0, '0 s ago'],
		[119_000, '119 s ago'],
		[120_000, '2 min ago'],
		[7_199_000, '119 min ago'],
		[7_200_000, '2 h ago'],
		[172_800_000, '2 d ago'],
		[-300_000, 'in 5 min'],
	])('%i ms are %s', (age, text) => {
		expect(relativeText(NOW - age, NOW)).toBe(text);
	});

	it('what operators switch is on or off, and every other truth is yes or no', () => {
		const row = { maintenance: true, send: false, recv: true, ok: true, dust: false };
		expect(Object.entries(row).map(([field, value]) => cell(value, field))).toEqual(['on', 'off', 'on', 'yes', 'no']);
	});

	const COLORED = { ...within(80), color: true };
	const [RED, GREEN, YELLOW, END] = ['\u001b[31m', '\u001b[32m', '\u001b[33m', '\u001b[39m'];

	it('colours what is wrong red, what waits yellow and what is fine green, and shifts no column', () => {
		const rows = [
			{ name: 'a', ok: false, status: 'DONE', dust: false },
			{ name: 'bc', ok: true, status: 'PENDING', dust: true },
		];
		const layout = { columns: ['name', 'ok', 'status', 'dust'] };
		const text = render(rows, layout, COLORED);
		expect(text.split('\n').slice(1)).toEqual([
			`a     ${RED}no${END}   ${GREEN}DONE${END}     no`,
			`bc    ${GREEN}yes${END}  ${YELLOW}PENDING${END}  yes`,
		]);
		expect(stripVTControlCharacters(text)).toBe(render(rows, layout, within(80)));
	});

	it('a card is coloured too', () => {
		expect(render({ state: 'planned', held: 'no coins', send: false }, {}, COLORED)).toBe(
			`state  ${YELLOW}planned${END}\nheld   ${RED}no coins${END}\nsend   ${RED}off${END}`,
		);
	});
});

describe('CSV', () => {
	it('has all fields of all rows, quotes by RFC 4180, and keeps numbers', () => {
		const rows = [
			{ id: 'a', name: 'Smith, "Jo"\nand Sons', amount: '-0.5', tags: ['x', 'y'], deletedAt: null, ok: true },
			{ id: 'b', name: '', amount: '1e3', more: { a: 1 } },
		];
		expect(csv(rows)).toBe(
			[
				'id,name,amount,tags,deletedAt,ok,more',
				'a,"Smith, ""Jo""\nand Sons",-0.5,x; y,,true,',
				'b,,1e3,,,,"{""a"":1}"',
				'',
			].join('\r\n'),
		);
	});

	it.each(['=1+1', '+cmd', '-cmd', '@SUM(A1)', '\t=1', '\r=1'])('runs %j as no formula', (name) => {
		const [, line] = csv([{ name }]).split('\r\n');
		expect(line?.replace('"', '')).toMatch(/^'/);
	});

	it('is empty for an empty list', () => {
		expect(csv([])).toBe('');
	});
});

describe('the sentence above an order', () => {
	const seconds = (ago: number) => Math.floor(NOW / 1000) - ago;
	const from = { code: 'LTC', amount: '2', address: 'ltc1pay', tx: { amount: null } };
	const to = { code: 'ETH', amount: '0.05', address: '0x05d9', tx: { amount: '0.049' } };
	const BASE = {
		order: {
			id: 'o1',
			status: 'NEW',
			from,
			to,
			back: { address: 'ltc1back' },
			emergency: { status: [], choice: 'NONE' },
			time: { reg: seconds(400), expiration: seconds(-3600), update: seconds(240), finish: null as number | null },
		},
		internal: { usd: '190.00', deletedAt: null as string | null },
		deposits: [] as object[],
		payouts: [] as object[],
	};
	const deposit = { amount: '2', state: 'final', dust: false };
	const payment = {
		kind: 'payout',
		state: 'planned',
		amount: '0.05',
		asset: 'ETH',
		toAddress: '0x05d9',
		held: null,
		waitsBecause: null,
		sentAt: null,
	};
	const refund = { ...payment, kind: 'refund', asset: 'LTC', amount: '1.99', toAddress: 'ltc1back' };
	const inStatus = (status: string, facts: object = {}) => ({
		...BASE,
		...facts,
		order: { ...BASE.order, status, ...('order' in facts ? (facts.order as object) : {}) },
	});
	const finish = { time: { ...BASE.order.time, finish: seconds(200) } };
	const emergency = (choice: string) => ({ emergency: { status: ['LIMIT'], choice } });

	it.each<[string, object, string]>([
		['new', inStatus('NEW'), 'NEW: waits for 2 LTC (190.00 USD) at ltc1pay, for another 59 min.'],
		[
			'not final',
			inStatus('PENDING', { deposits: [{ ...deposit, state: 'seen' }] }),
			'PENDING for 4 min: 2 LTC arrived; waits until the deposit is final.',
		],
		[
			'not settled',
			inStatus('PENDING', { deposits: [deposit] }),
			'PENDING for 4 min: 2 LTC arrived and is final; waits to be settled.',
		],
		['dropped', inStatus('PENDING'), 'PENDING for 4 min: its deposit was dropped, from mempool or chain.'],
		[
			'paying',
			inStatus('EXCHANGE', { deposits: [deposit], payouts: [{ ...payment, waitsBecause: 'no coins' }] }),
			'EXCHANGE for 4 min: 2 LTC arrived; the payout of 0.05 ETH to 0x05d9 is planned and waits: no coins.',
		],
		[
			'blocked',
			inStatus('EXCHANGE', { deposits: [deposit], payouts: [{ ...payment, held: 'it reverted' }] }),
			'EXCHANGE for 4 min: 2 LTC arrived; the payout of 0.05 ETH to 0x05d9 is blocked: it reverted.',
		],
		[
			'done',
			inStatus('DONE', { order: finish, deposits: [deposit], payouts: [{ ...payment, state: 'sent' }] }),
			'DONE in 3 min: 2 LTC (190.00 USD) became 0.049 ETH; paid to 0x05d9, 3 min ago.',
		],
		['expired', inStatus('EXPIRED'), 'EXPIRED 4 min ago: no deposit arrived.'],
		[
			'expired with a deposit',
			inStatus('EXPIRED', { deposits: [deposit] }),
			'EXPIRED 4 min ago: 2 LTC arrived; nothing was refunded; `order refund o1` sends it back.',
		],
		[
			'refunded',
			inStatus('EXPIRED', {
				deposits: [deposit],
				payouts: [{ ...refund, state: 'sent', sentAt: '2026-11-22T02:28:27.123Z' }],
			}),
			'EXPIRED 4 min ago: 2 LTC arrived; the refund of 1.99 LTC to ltc1back is sent, 3 min ago.',
		],
		[
			'emergency',
			inStatus('EMERGENCY', { order: emergency('NONE'), deposits: [{ ...deposit, amount: '0.1' }] }),
			'EMERGENCY for 4 min (LIMIT): 0.1 LTC arrived, 2 LTC asked; waits for the choice of the partner, or for `order refund o1`.',
		],
		[
			'exchange chosen',
			inStatus('EMERGENCY', { order: emergency('EXCHANGE'), deposits: [deposit] }),
			'EMERGENCY for 4 min (LIMIT): 2 LTC arrived, 2 LTC asked; exchange was chosen and cannot begin yet.',
		],
		[
			'refund on its way',
			inStatus('EMERGENCY', { order: emergency('EXCHANGE'), deposits: [deposit], payouts: [refund] }),
			'EMERGENCY for 4 min (LIMIT): 2 LTC arrived, 2 LTC asked; the refund of 1.99 LTC to ltc1back is planned.',
		],
		[
			'deleted',
			inStatus('EXPIRED', { internal: { usd: '1', deletedAt: '2026-11-22T02:28:27.123Z' } }),
			'EXPIRED 4 min ago: no deposit arrived. Deleted 3 min ago.',
		],
	])('%s', (_, shown, sentence) => {
		expect(headline('order/show', shown, NOW)).toBe(sentence);
	});

	it('is left out where the answer has another shape', () => {
		expect(headline('order/show', { id: 'o1' }, NOW)).toBeNull();
		expect(headline('order/list', [], NOW)).toBeNull();
	});

	it('a refund says whether it goes out, or why it waits', () => {
		const planned = { asset: 'LTC', to: 'ltc1back', amount: '1.99', networkFee: '0.01', waitsBecause: null };
		expect(headline('order/refund', planned, NOW)).toBe(
			'A refund of 1.99 LTC to ltc1back is planned and goes out with the next poll. The network fee is 0.01 LTC.',
		);
		expect(headline('order/refund', { ...planned, waitsBecause: 'LTC is switched off' }, NOW)).toContain(
			'is planned and waits: LTC is switched off',
		);
	});
});
