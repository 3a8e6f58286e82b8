import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifiedProof } from '../../src/operator/cli/proof.ts';
import type { ProofOptions } from '../../src/operator/cli/proof-options.ts';
import type { SignedStatement } from '../../src/ports/promises.ts';
import type { ReserveRow, ReserveVerdict } from '../../src/ports/reserves.ts';
import type { OwnFile, SolvencyFile } from '../../src/ports/solvency.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { type Debt, ownDebt, partsOf, rootsOf, secretOf, statementText } from '../../src/treasury/solvency/report.ts';
import { blindedId, digestOf } from '../../src/treasury/solvency/tree.ts';

const HOUR = 3_600_000;
const NUMBER = 498_000;
const NOW = NUMBER * HOUR + 60_000;
const SALT = 'ab'.repeat(32);
const seed = new Uint8Array(32).fill(7);
const keys = promiseKeysOf({ DEPLOYMENT: 'test' }, seed);
const publicKey = keys.published().keys[0]?.publicKey ?? '';
const forged = promiseKeysOf({ DEPLOYMENT: 'another' }, seed);

const debtOf = (id: string, amount: bigint, more: Partial<Debt> = {}): Debt => ({
	creditor: 'order',
	id,
	tokenHash: digestOf(`token of ${id}`),
	asset: 'BTC',
	amount,
	...more,
});
const MINE = debtOf('mine', 50_000_000n);
const OTHERS = [debtOf('a', 7n), debtOf('b', 100_000_000n), debtOf('c', 3n, { asset: 'ETH' })];
const PARTNER = debtOf('partner', 900n, { creditor: 'partner', tokenHash: null });
const RESERVE: ReserveRow = {
	network: 'Bitcoin',
	address: 'bc1-hot',
	holdings: [
		{ asset: 'BTC', amount: '200000000' },
		{ asset: 'ETH', amount: '3' },
	],
	message: 'a message',
	signature: 'a signature',
};

const headOf = (position: number, digest: string, before: SignedStatement | null, by = keys): SignedStatement =>
	signedAt(position * 3600 + 60, { position, digest, before }, by);

interface Next {
	readonly position: number;
	readonly digest: string;
	readonly before: SignedStatement | null;
}

/** `at`: Unix seconds. */
function signedAt(at: number, { position, digest, before }: Next, by = keys) {
	const previous = before ? digestOf(before.statement) : '';
	const told = { at, digest, kind: 'solvency', position, previous, type: 'partner-exchange/head/1' };
	return by.sign(JSON.stringify(told), at);
}

const first = headOf(NUMBER - 2, digestOf('first'), null);
const second = headOf(NUMBER - 1, digestOf('second'), first);

function hourOf(
	debts: readonly Debt[],
	{ reserves = [RESERVE], before = second, by = keys, deployment = 'test' } = {},
) {
	const parts = partsOf(NUMBER, debts, SALT);
	const statement = statementText({
		at: new Date(NOW - 60_000).toISOString().replace('.000Z', 'Z'),
		debts: rootsOf(parts),
		deployment,
		number: NUMBER,
		reserves: digestOf(JSON.stringify(reserves)),
		unshown: [
			{ network: 'Monero', addresses: null },
			{ network: 'Bitcoin', addresses: 12 },
		],
	});
	const heads = [first, before, headOf(NUMBER, digestOf(statement), before, by)];
	const file: SolvencyFile = { type: 'partner-exchange/solvency-file/1', statement, heads, reserves };
	const ownOf = (debt: Debt): OwnFile => {
		const secret = secretOf(debt, SALT);
		const id = blindedId({ ...debt, number: NUMBER, secret });
		const inAsset = parts.filter(({ asset }) => asset === debt.asset);
		const own = inAsset.map((part) => ownDebt(part, inAsset, id)).filter((each) => each !== null);
		const { creditor } = debt;
		return { type: 'partner-exchange/own-debts/1', number: NUMBER, creditor, id: debt.id, secret, debts: own };
	};
	return { file, ownOf };
}

const folder = mkdtempSync(join(tmpdir(), 'proof-'));
let files = 0;
const written = (value: unknown): string => {
	const name = join(folder, `${files++}.json`);
	writeFileSync(name, JSON.stringify(value));
	return name;
};

async function checked(
	file: unknown,
	own: readonly unknown[],
	{ verdict = { is: 'holds' } as ReserveVerdict, ...more }: Partial<ProofOptions> & { verdict?: ReserveVerdict } = {},
) {
	const options = { published: undefined, since: undefined, heads: undefined, promise: undefined };
	const given = { ...options, owed: [], nodes: [], chain: 'main' as const, hours: 2, keys: [publicKey], ...more };
	const names = { file: written(file), own: own.map(written) };
	return verifiedProof({ ...given, ...names }, () => async () => verdict, NOW);
}

const honest = hourOf([MINE, PARTNER, ...OTHERS]);

describe('the file of an hour', () => {
	it('holds with what a payer and a partner are owed, and says how much of it the wallets show', async () => {
		const { lines, wrong, unchecked } = await checked(honest.file, [honest.ownOf(MINE), honest.ownOf(PARTNER)], {
			owed: ['0.5 BTC'],
		});
		expect({ wrong, unchecked }).toEqual({ wrong: [], unchecked: [] });
		expect(lines).toContain('1.50000907 BTC is owed, and the wallets show 2 BTC, 133 %.');
		expect(lines).toContain('0.500009 BTC of it is yours.');
		expect(lines).toContain('Not in it, and counted as nothing: Monero, 12 more addresses on Bitcoin.');
		expect(lines[0]).toMatch(/by the deployment test\.$/);
		const nameless = (await checked(hourOf([MINE], { deployment: '-' }).file, [])).lines;
		expect(nameless[0]).toMatch(/by a deployment without a name\.$/);
	});

	it('that has no place for an order is named: left out', async () => {
		const without = hourOf([PARTNER, ...OTHERS]);
		expect((await checked(without.file, [without.ownOf(MINE)], { owed: ['0.5 BTC'] })).wrong).toEqual([
			'left out: 0.5 BTC is in no file of yours',
		]);
		// The way of an honest file does not lead to this one.
		expect((await checked(without.file, [honest.ownOf(MINE)])).wrong).toEqual([
			'left out: the way of mine does not lead to what is owed in BTC',
		]);
	});

	it('that counts less of an order is named: shrunk', async () => {
		const less = hourOf([{ ...MINE, amount: 40_000_000n }, PARTNER, ...OTHERS]);
		expect((await checked(less.file, [less.ownOf(MINE)], { owed: ['0.5 BTC'] })).wrong).toEqual([
			'shrunk: you are owed 0.5 BTC, and 0.4 BTC is counted',
		]);
		const [debt] = less.ownOf(MINE).debts;
		const lie = { ...less.ownOf(MINE), debts: [{ ...debt, amount: '50000000' }] };
		expect((await checked(less.file, [lie])).wrong).toEqual([
			'left out: the way of mine does not lead to what is owed in BTC',
		]);
	});

	it('in which an order has two places is named: doubled', async () => {
		const twice = hourOf([MINE, MINE, ...OTHERS]);
		expect((await checked(twice.file, [twice.ownOf(MINE)])).wrong).toContain(
			'doubled: mine has more than one place in BTC',
		);
	});

	it('of which one place is shown to two orders is named', async () => {
		const other = { ...honest.ownOf(MINE), id: 'b', secret: digestOf('token of b') };
		expect((await checked(honest.file, [other])).wrong.join()).toMatch(/^(?:left out|doubled): .*\bb\b.* BTC$/);
	});

	it('is held against the signed promise of an order: a payout is owed in the other asset', async () => {
		const told = { at: 1, id: 'mine', from: { code: 'LTC' }, to: { code: 'BTC' }, type: 'partner-exchange/promise/1' };
		const promise = written(keys.sign(JSON.stringify(told), 1));
		const owed = ['2 LTC'];
		expect((await checked(honest.file, [honest.ownOf(MINE)], { promise, owed })).wrong).toEqual([]);
		const [other] = OTHERS;
		if (!other) throw new Error('no other');
		expect((await checked(honest.file, [honest.ownOf(other)], { promise })).wrong.join()).toMatch(
			/^left out: the order mine of /,
		);
		await expect(checked(honest.file, [], { promise: written(forged.sign(JSON.stringify(told), 1)) })).rejects.toThrow(
			'proves nothing',
		);
	});

	it('whose sums are wrong or negative is named', async () => {
		const own = honest.ownOf(MINE);
		const [debt] = own.debts;
		if (!debt) throw new Error('no debt');
		const way = (sum: string) => ({
			...own,
			debts: [{ ...debt, path: debt.path.map((step) => ({ ...step, node: { ...step.node, sum } })) }],
		});
		expect((await checked(honest.file, [way('-50000000')])).wrong).toEqual([
			'a debt below zero stands beside mine in BTC',
		]);
		expect((await checked(honest.file, [way('1')])).wrong).toEqual([
			'left out: the way of mine does not lead to what is owed in BTC',
		]);
		const statement = honest.file.statement.replace('"150000907"', '"100000000"');
		const lower = { ...honest.file, statement, heads: [first, second, headOf(NUMBER, digestOf(statement), second)] };
		expect((await checked(lower, [own])).wrong).toEqual([
			'what is owed in BTC is 150000907 base units, and the file says 100000000',
		]);
	});

	it('that was made ahead for an hour to come is named: an hour has one report', async () => {
		const statement = honest.file.statement.replace(`"number":${NUMBER}`, `"number":${NUMBER + 1}`);
		const [, , own] = honest.file.heads;
		const ahead = headOf(NUMBER + 1, digestOf(statement), own ?? null);
		const early = signedAt(NUMBER * 3600 + 120, {
			position: NUMBER + 1,
			digest: digestOf(statement),
			before: own ?? null,
		});
		const at = atOf(honest.file);
		const said = 'the report of 2026-10-24T01:00 is of another time: ';
		for (const [head, faults] of [
			[ahead, [`${said}${at}`]],
			[early, [`${said}${at}`, `${said}2026-10-24T00:02:00.000Z`]],
		] as const)
			expect((await checked({ ...honest.file, statement, heads: [first, second, own, head] }, [])).wrong).toEqual(
				faults,
			);
	});

	it('of another day, or another instance, or changed after it was signed is named', async () => {
		const own = [honest.ownOf(MINE)];
		expect((await verifiedLater(3)).wrong).toEqual([
			`old: it is of ${atOf(honest.file)}, and may be 2 hours old (--hours)`,
		]);
		const stranger = hourOf([MINE], { by: forged });
		expect((await checked(stranger.file, own)).wrong.join()).toMatch('not trusted');
		const changed = { ...honest.file, statement: honest.file.statement.replace('"test"', '"other"') };
		expect((await checked(changed, own)).wrong).toContain(
			'the newest head is not of this file: it is of another hour, or was changed',
		);
		expect((await checked(honest.file, [{ ...honest.ownOf(MINE), number: NUMBER - 1 }])).wrong.join()).toMatch(
			'your own file is of',
		);
		for (const rubbish of [null, {}, { ...honest.file, statement: 'x' }, { ...honest.file, heads: [null] }])
			expect((await checked(rubbish, [])).wrong).toEqual(['the file is none']);
		for (const rubbish of [null, {}, { ...honest.ownOf(MINE), debts: [null] }])
			expect((await checked(honest.file, [rubbish])).wrong).toHaveLength(1);
		for (const rubbish of [null, {}, []])
			await expect(checked(honest.file, [], { since: written(rubbish) })).rejects.toThrow('signed head');
		await expect(checked(honest.file, [], { heads: written({}) })).rejects.toThrow('no list of signed heads');
		await expect(checked(honest.file, [], { nodes: ['Nowhere=https://a'] })).rejects.toThrow('--node');
		await expect(checked(honest.file, [], { owed: ['many BTC'] })).rejects.toThrow('--owed');
	});

	const atOf = ({ statement }: SolvencyFile): string => JSON.parse(statement).at;
	const verifiedLater = (hours: number) => {
		const names = { file: written(honest.file), own: [written(honest.ownOf(MINE))] };
		const none = { published: undefined, since: undefined, heads: undefined, promise: undefined };
		const given = { ...names, ...none, owed: [], nodes: [], chain: 'main' as const, hours: 2, keys: [publicKey] };
		return verifiedProof(given, () => async () => ({ is: 'holds' }), NOW + hours * HOUR);
	};
});

describe('the chain of the hours', () => {
	const since = (head: SignedStatement): string => written({ ...honest.file, heads: [head] });

	it('has what its reader has kept', async () => {
		expect((await checked(honest.file, [], { since: since(first) })).wrong).toEqual([]);
	});

	it('that was forked or set back, or that has a gap, is named', async () => {
		const other = headOf(NUMBER - 1, digestOf('other'), first);
		expect((await checked(honest.file, [], { since: since(other) })).wrong.join()).toMatch(/^forked/);
		const later = headOf(NUMBER + 1, digestOf('later'), honest.file.heads[2] ?? null);
		expect((await checked(honest.file, [], { since: since(later) })).wrong.join()).toMatch(/^set back/);
		const old = headOf(NUMBER - 9, digestOf('old'), later);
		expect((await checked(honest.file, [], { since: since(old) })).wrong.join()).toMatch('does not reach back');
		const gap = { ...honest.file, heads: honest.file.heads.filter((_, i) => i !== 1) };
		expect((await checked(gap, [])).wrong.join()).toMatch('does not go on from the one before it');
		const two = hourOf([MINE], { before: headOf(NUMBER, digestOf('two'), second) });
		expect((await checked(two.file, [])).wrong.join()).toMatch('the signer has signed two heads');
	});

	it('reaches further back with the list of heads', async () => {
		const short = { ...honest.file, heads: honest.file.heads.slice(-1) };
		expect((await checked(short, [], { since: since(first) })).wrong.join()).toMatch('does not reach back');
		const heads = written(honest.file.heads);
		expect((await checked(short, [], { since: since(first), heads })).wrong).toEqual([]);
	});
});

describe('what the wallets hold', () => {
	it('is named where it is not there, is not signed, or is other than what was signed', async () => {
		const short = { is: 'short', asset: 'BTC', claimed: 200_000_000n, found: 0n } as const;
		const { wrong } = await checked(honest.file, [], { verdict: short });
		expect(wrong).toContain('bc1-hot on Bitcoin is not there: 2 BTC is claimed, and the chain shows 0 BTC');
		expect(wrong).toContain('not covered: 1.50000907 BTC is owed, and the wallets show 0 BTC, 0 %.');
		expect((await checked(honest.file, [], { verdict: { is: 'signature-wrong' } })).wrong).toContain(
			'bc1-hot on Bitcoin: its wallet has not signed this',
		);
		const more = { ...honest.file, reserves: [RESERVE, { ...RESERVE, address: 'bc1-other' }] };
		expect((await checked(more, [])).wrong).toEqual(['the reserves are not those that were signed']);
		const twice = hourOf([MINE], { reserves: [RESERVE, RESERVE] });
		const doubled = await checked(twice.file, []);
		expect(doubled.wrong).toEqual(['Bitcoin bc1-hot is there twice']);
		expect(doubled.lines).toContain('0.5 BTC is owed, and the wallets show 2 BTC, 400 %.');
		const [first] = RESERVE.holdings;
		if (!first) throw new Error('no holding');
		for (const holdings of [[first, first], [{ ...first, amount: '-1' }], null]) {
			const counted = hourOf([MINE], { reserves: [{ ...RESERVE, holdings } as ReserveRow] });
			expect((await checked(counted.file, [])).wrong).toContain('a row of the reserves is none');
		}
	});

	it('that nobody could look up is said, and is no fault', async () => {
		const verdict = { is: 'signed', why: 'no node' } as const;
		const { lines, wrong, unchecked } = await checked(honest.file, [], { verdict });
		expect(lines).toContain('1.50000907 BTC is owed, and the wallets show 0 BTC, 0 %; the file says 2 BTC.');
		expect({ wrong, unchecked }).toEqual({
			wrong: [],
			unchecked: ['bc1-hot on Bitcoin is signed, and was not looked up: no node'],
		});
	});
});
