/** What an attacker asks of the vault: each of its calls, with what is there, what was there, and what never was. */
import { ASSET_IDS, type AssetId } from '../../src/catalog/assets.ts';
import type { PromisedOrder } from '../../src/ports/promises.ts';
import type { SignerService } from '../../src/ports/signer.ts';
import type { Move } from '../../src/treasury/moves.ts';
import type { TransactionKind } from '../../src/treasury/table.ts';
import type { Crowd } from '../simulate/people/crowd.ts';
import { COLD, NETWORKS } from '../simulate/settings.ts';
import type { Choices } from './choices.ts';

const UNKNOWN = 'ffffffff-0000-4000-a000-000000000000';
const HOUR = 3_600_000;
const NUMBERS = [0, 1, -1, 2, 1_000, 2 ** 31, 2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY];
const KINDS: readonly TransactionKind[] = ['payout', 'refund', 'sweep', 'withdrawal'];
const AMOUNTS = ['0', '1', '-1', '1000000', `1${'0'.repeat(30)}`, '1.5', '', 'ten'];
/** What no caller of ours sends. */
const JUNK: readonly unknown[] = [
	null,
	undefined,
	'',
	"' OR 1=1 --",
	'x'.repeat(100_000),
	-1,
	Number.NaN,
	[],
	{},
	[null],
	['__proto__'],
	{ length: 1e9 },
	true,
	'\u0000',
];

/** What is in the service now, as rows of the database name it. */
export class Pool {
	readonly choices: Choices;
	/** Addresses of the attacker: nothing may ever reach them. */
	readonly own: readonly string[];
	readonly #crowd: Crowd;

	constructor(crowd: Crowd, choices: Choices, own: readonly string[]) {
		[this.#crowd, this.choices, this.own] = [crowd, choices, own];
	}

	network = () => this.choices.pick(NETWORKS);
	payout = () => this.#of('SELECT id AS value FROM transactions');
	order = () => this.#of('SELECT id AS value FROM orders');
	/** As the database has it, or with one of its terms changed. */
	terms = (): PromisedOrder => {
		const rows = this.#crowd.service.d1.rows('SELECT * FROM orders');
		const row = Object.entries(this.choices.pick(rows)).map(([name, value]) => [camelCase(name), value]);
		const terms = Object.fromEntries(row) as Record<string, unknown>;
		if (this.choices.seldom(2))
			terms[this.choices.pick(Object.keys(terms))] = this.choices.pick([this.address(), null]);
		return terms as unknown as PromisedOrder;
	};
	moves = (): Move[] => this.some(() => ['withdrawal', this.payout(), this.asset(), this.amount(), this.address()]);
	partner = () => this.#of('SELECT id AS value FROM partners');
	payIn = () => this.#of('SELECT pay_in_address AS value FROM orders');
	txId = () => this.#of('SELECT tx_id AS value FROM transactions UNION SELECT tx_id FROM deposits');
	address = () => this.choices.pick([...this.own, COLD, this.payIn()]);
	asset = (): AssetId => this.choices.pick(ASSET_IDS);
	number = () => this.choices.pick(NUMBERS);
	amount = () => this.choices.pick(AMOUNTS);
	time = () => this.#crowd.world.now + this.choices.pick([0, -HOUR, HOUR, -1_000 * HOUR, Number.NaN]);
	remembered = () => ({ entries: this.number(), nextIndex: this.number() });
	some = <T>(one: () => T): T[] => Array.from({ length: this.choices.below(4) }, one);

	#of(query: string): string {
		const values = this.#crowd.service.d1.rows(query).map(({ value }) => String(value));
		return this.choices.pick([UNKNOWN, ...values]);
	}
}

const camelCase = (column: string): string =>
	column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** In whole seconds; what is no time as its text. */
const isoOf = (time: number): string =>
	Number.isFinite(time) ? new Date(time).toISOString().replace(/\.\d+Z$/, 'Z') : String(time);

/** A new call of the vault does not compile here until it is fuzzed too. */
const CALLS: { readonly [K in keyof SignerService]: (pool: Pool) => Parameters<SignerService[K]> } = {
	identify: ({ txId }) => [txId()],
	promise: ({ terms }) => [terms()],
	promiseKeys: () => [],
	signHead: ({ choices, number }) => [
		{
			kind: choices.pick(['history', 'solvency']),
			position: number(),
			digest: '0'.repeat(64),
			since: choices.seldom(2) ? null : { position: number(), digest: '0'.repeat(64) },
			kept: choices.seldom(3) ? number() : null,
		},
	],
	markHead: ({ choices, number, some }) => [
		choices.pick(['history', 'solvency']),
		some(() => ({ position: number(), digest: '0'.repeat(64) })),
	],
	heads: ({ choices, number }) => [choices.pick(['history', 'solvency']), choices.seldom(2) ? null : number()],
	signReserves: ({ network, number, txId, time, choices, some, address }) => [
		network(),
		{ number: number(), debts: choices.pick(['0'.repeat(64), txId()]), at: isoOf(time()) },
		{ height: number(), hash: choices.pick(['f'.repeat(64), txId()]) },
		some(address),
	],
	askPersons: ({ moves }) => [moves()],
	confirm: ({ moves, txId, time, some }) => [
		{
			asked: { deployment: '', nonce: txId(), expiresAt: time(), moves: moves() },
			answers: some(() => ({ id: txId(), clientDataJSON: txId(), authenticatorData: txId(), signature: txId() })),
		},
	],
	limits: () => [],
	newAddresses: ({ network, choices, remembered }) => [network(), choices.below(5), remembered()],
	greet: ({ network, remembered }) => [network(), remembered()],
	readOn: ({ network }) => [network()],
	payInAddresses: ({ network, payIn }) => [network(), payIn()],
	hotAddress: ({ network }) => [network()],
	viewKey: ({ network }) => [network()],
	walletCoins: ({ network, number }) => [network(), number()],
	withdrawalAddresses: ({ network }) => [network()],
	check: ({ network }) => [network()],
	sign: ({ network, some, payout, remembered }) => [network(), some(payout), remembered()],
	giveUp: ({ payout, order, choices }) => [payout(), choices.seldom(3) ? null : order()],
	withdrawEarnings: ({ payout }) => [payout()],
	// Who has checked the seal is trusted: an address of the attacker's is what a caller may do, up to the daily cap.
	takePayoutAddress: ({ partner, asset, time }) => [
		{ partnerId: partner(), asset: asset(), address: COLD, changedAt: time() },
	],
	earningsPaidByHand: ({ payout, some, order }) => [payout(), some(order)],
	bump: ({ network, some, payout, txId, remembered }) => [
		network(),
		some(() => ({ payoutId: payout(), txId: txId() })),
		remembered(),
	],
	overtaken: ({ network, payout, address, asset, amount, txId }) => [
		network(),
		{
			payoutId: payout(),
			raw: '{}',
			from: address(),
			terms: { asset: asset(), to: address(), amount: amount() },
			txId: txId(),
		},
	],
	settleRefusal: ({ payout, order, choices }) => [payout(), choices.seldom(2) ? null : order()],
	retrySweep: ({ network, address, asset }) => [network(), address(), asset()],
	contradictions: ({ some, order, network, address, number }) => [
		some(() => ({ id: order(), network: network(), address: address(), index: number(), toAddress: address() })),
	],
	answerClaims: ({ some, payout, network, asset, amount, txId, time, choices }) => [
		some(() => ({
			id: payout(),
			kind: choices.pick(KINDS),
			network: network(),
			asset: asset(),
			amount: amount(),
			txId: txId(),
			signedAt: time(),
		})),
	],
	followAudit: () => [],
	verifyAudit: () => [],
	acceptAudit: () => [],
	hold: ({ choices, time }) => [choices.seldom(3) ? time() : 0],
	journalFacts: () => [],
	readJournal: ({ choices, number, txId }) => [
		choices.seldom(2) ? null : { table: choices.below(30), after: [txId()], volume: number() },
	],
	beginRestore: ({ txId }) => [txId()],
	writeJournal: ({ txId, payout }) => [
		txId(),
		{ table: 'given_up', columns: ['payout_id', 'at'], rows: [[`t${payout()}`, 'i1']] },
	],
	endRestore: ({ txId, time }) => [txId(), { backupAt: time(), nextIndexes: {}, rows: {} }],
	signedOrders: ({ number }) => [number()],
	restored: () => [],
	endMark: ({ time }) => [time()],
	adopt: ({ network, payout, txId }) => [network(), payout(), txId()],
	adoptReturn: ({ network, payout, txId }) => [network(), payout(), txId()],
	paidOther: ({ order, asset, txId }) => [order(), asset(), txId()],
	doubted: ({ some, order, network, number }) => [
		some(() => ({ id: order(), fromNetwork: network(), payInIndex: number() })),
	],
	lookFor: ({ some, order }) => [some(order)],
	signedFor: ({ network, address }) => [network(), address()],
	refundRefusal: ({ order }) => [order()],
	confirmOrders: ({ some, order, txId, choices }) => [some(order), { looked: choices.seldom(2), not: some(txId) }],
	confirmOwn: ({ some, txId, choices }) => [{ looked: choices.seldom(2), not: some(txId) }],
};

const NAMES = Object.keys(CALLS) as (keyof SignerService)[];
/** Every second call is one that signs. */
const SIGNING: readonly (keyof SignerService)[] = ['sign', 'sign', 'sign', 'bump'];

export interface Call {
	readonly name: keyof SignerService;
	readonly args: readonly unknown[];
}

export function drawCall(pool: Pool): Call {
	const { choices } = pool;
	const name = choices.pick(choices.seldom(2) ? SIGNING : NAMES);
	const args: unknown[] = CALLS[name](pool);
	if (args.length > 0 && choices.seldom(8)) args[choices.below(args.length)] = choices.pick(JUNK);
	return { name, args };
}
