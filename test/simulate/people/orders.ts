/** What a partner and a payer do with one order: at any time, with any amount, and again when no answer came. */
import { verify } from 'node:crypto';
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { OrderView } from '../../../src/orders/view.ts';
import type { PromiseStatement, SignedStatement } from '../../../src/ports/promises.ts';
import { DUST_PER_ORDER } from '../../../src/treasury/deposits/watch-list.ts';
import { addressIn } from '../../cast/networks.ts';
import { createBody } from '../../support/orders.ts';
import type { Service } from '../service.ts';
import { PROMISE_KEY } from '../settings.ts';
import type { World } from '../world.ts';
import { newAddress } from './addresses.ts';
import { AMOUNTS, COSIGNED_AMOUNTS } from './amounts.ts';
import type { Client, Secrets } from './client.ts';
import { deposit, type Street, transactionOf } from './payments.ts';

const MINUTE = 60_000;

export interface Paid {
	readonly txId: string;
	readonly network: string;
	readonly address: string;
	dropped: boolean;
	/** It is on the chain. */
	isMade: boolean;
}

/** What an order's partner was told and what its payer did. */
export interface Story {
	readonly partner: Secrets;
	readonly habit: Habit;
	readonly key: string;
	readonly toAddress: string;
	readonly refundAddress: string;
	/** The floor that its create asks for; null for none. */
	readonly slippageBps: number | null;
	/** Null while no answer has come. */
	id: string | null;
	token: string | null;
	payIn: string | null;
	readonly told: OrderView[];
	/** Its partner asks for signed promises. */
	isPromised: boolean;
	/** The statements of those that came. */
	readonly promises: PromiseStatement[];
	readonly paid: Paid[];
	/** Somebody wrote its row in the database. */
	isTampered: boolean;
	/** The database was set back to before what was told. */
	isForgotten: boolean;
	/** What no answer may say and one did. */
	readonly wrong: string[];
}

export interface Scene extends Street {
	readonly client: Client;
}

/** Lives the order's life; ends when its partner has lost interest. */
export async function liveOrder(scene: Scene, story: Story, from: AssetId, to: AssetId): Promise<void> {
	const created = await create(scene, story, from, to);
	if (!created) return;
	const payer = Promise.all([pay(scene, story, created, from), regret(scene, story)]);
	await watch(scene, story);
	await payer;
}

/** Of all payers, those who ask for a refund. */
const REGRETS = 0.25;
const REGRETS_WITHIN = 90 * MINUTE;
/** Of the page's answers; one that was refused, or did not come, is asked for again. */
const TAKEN = ['asked', 'under way'];

/** Asks for the coins back at any moment: before they came, while they are confirmed, paid or sent back. */
async function regret({ client, world }: Scene, { id, token }: Story): Promise<void> {
	const { random } = world;
	if (!id || !token || !random.chance(REGRETS)) return;
	const address = addressIn(random.below(200));
	for (let asked = 0; asked < 4; asked++) {
		await world.sleep(random.next() ** 2 * REGRETS_WITHIN);
		const answer = await client.askRefund(id, token, address).catch(() => '');
		if (TAKEN.includes(answer) && random.chance(0.5)) return;
	}
}

/** What an order swaps. */
export type Pair = readonly [from: AssetId, to: AssetId];

/** Basis points below the quote that an order's floor may lie; null for no floor. */
const FLOORS = [null, null, 0, 50, 300] as const;

/** `pair`: null for any. */
export function newStory(
	world: World,
	partner: Secrets,
	habit: Habit,
	pair: Pair | null,
): Story & { readonly from: AssetId; readonly to: AssetId } {
	const { random } = world;
	const from = pair?.[0] ?? (random.pick(Object.keys(AMOUNTS)) as AssetId);
	const to = pair?.[1] ?? (random.pick(Object.keys(AMOUNTS).filter((one) => one !== from)) as AssetId);
	const addressOf = (asset: AssetId) => newAddress(assetOf(asset).network, random);
	const key = `key-${random.below(1e9)}-${random.below(1e9)}`;
	// By a digit of the key: no chance is drawn for it.
	const slippageBps = FLOORS[Number(key.at(-2)) % FLOORS.length] ?? null;
	const nothing = {
		id: null,
		token: null,
		payIn: null,
		told: [],
		isPromised: false,
		promises: [],
		paid: [],
		wrong: [],
		isTampered: false,
		isForgotten: false,
	};
	const addresses = { toAddress: addressOf(to), refundAddress: addressOf(from) };
	return { partner, habit, key, from, to, ...addresses, slippageBps, ...nothing };
}

/** Repeats until something definite comes, always with the same key: that makes one order. */
async function create(scene: Scene, story: Story, from: AssetId, to: AssetId): Promise<OrderView | null> {
	const { client, world } = scene;
	const secrets = story.partner;
	const { toAddress, refundAddress, slippageBps } = story;
	const terms = {
		fromCcy: from,
		toCcy: to,
		amount: { ...AMOUNTS, ...COSIGNED_AMOUNTS }[from],
		toAddress,
		refundAddress,
		slippageBps,
	};
	const body = createBody({ ...terms, ...withPromise(story) });
	for (let tries = 0; tries < 12; tries++) {
		const sent = client.sign(secrets, '/api/v1/create', body, { 'idempotency-key': story.key });
		const answer = await client.send(sent).catch(() => null);
		if (answer?.code === 0) {
			const view = answer.data as OrderView & { token: string | null };
			learn(story, view);
			story.token ??= view.token;
			if (story.token) return view;
			// The first answer was lost, and the token with it: a real partner starts over with another key.
			return null;
		}
		if (answer && ![3, 5, 11, 10, 99].includes(answer.code)) return null;
		await world.sleep(2_000 + world.random.next() * 20_000);
	}
	return null;
}

const withPromise = ({ isPromised }: Story) => (isPromised ? { with: ['promise'] } : {});

/** Reads the order with its promise, once. */
export async function askPromise({ client }: Pick<Scene, 'client'>, story: Story): Promise<void> {
	const { id, token, partner } = story;
	const sent = client.sign(partner, '/api/v1/order', { id, token, with: ['promise'] });
	const answer = await client.send(sent).catch(() => null);
	if (answer?.code === 0) keepPromise(story, answer.data as Promised);
}

type Promised = OrderView & { readonly promise?: SignedStatement | null };

/** An answer without one proves nothing, and says nothing wrong. */
function keepPromise({ promises, wrong }: Story, { promise }: Promised): void {
	if (!promise) return;
	const { statement, signature } = promise;
	if (!verify(null, Buffer.from(statement), PROMISE_KEY, Buffer.from(signature, 'base64')))
		wrong.push('a promise is not signed with the key');
	promises.push(JSON.parse(statement) as PromiseStatement);
}

function learn(story: Story, view: OrderView): void {
	if (story.id !== null && story.id !== view.id) story.wrong.push(`one key made the orders ${story.id} and ${view.id}`);
	if (story.payIn !== null && story.payIn !== view.from.address) story.wrong.push('the pay-in address changed');
	if (view.to.address !== story.toAddress && !story.isTampered) story.wrong.push('the recipient is another one');
	story.id = view.id;
	story.payIn = view.from.address;
	const { promise: _, ...shown } = view as Promised;
	story.told.push(shown);
	keepPromise(story, view);
}

type Payment = readonly [share: number, delay: number, confirmations?: number];
export type Habit = readonly Payment[];

/** Shares of what the order asks for, and milliseconds after its creation; some are final at once, where nothing is said. */
export const HABITS: readonly Habit[] = [
	[[1, 5_000]],
	[[1, 5_000]],
	[[1, 60_000]],
	[[1, 20 * MINUTE]],
	[[0.4, 10_000]],
	[
		[0.5, 10_000],
		[0.5, 40_000],
	],
	[
		[0.2, 5_000],
		[0.9, 5 * MINUTE],
	],
	[[2.5, 10_000]],
	[
		[1, 10_000],
		[1, 30_000],
	],
	[[0.00002, 5_000]],
	[
		[1, 5_000],
		[0.00002, 9_000],
	],
	[
		[0.00002, 5_000],
		[1, 40_000],
	],
	[
		[0.00002, 5_000],
		[0.5, 20_000],
		[0.00002, 30_000],
		[0.49996, 2 * MINUTE],
	],
	[[1, 70 * MINUTE]],
	[
		[1, 10_000],
		[1, 90 * MINUTE],
	],
	[],
] as unknown as readonly Habit[];

/** Much of it in more pieces than are recorded of one order, each of them dust; then the rest, or nothing. */
const PIECES = Array.from(
	{ length: DUST_PER_ORDER + 5 },
	(_, i): Payment => [0.00002, 5_000 + i * 200, FINAL_CONFIRMATIONS],
);
export const SPLITTERS: readonly Habit[] = [PIECES, [...PIECES, [0.9978, 2 * MINUTE]]];
const isPiece = ({ habit }: Story, share: number): boolean => habit.length > DUST_PER_ORDER && share < 0.001;

const STAYS = 0.5;

async function pay({ service, world }: Scene, story: Story, view: OrderView, from: AssetId): Promise<void> {
	const { network, decimals } = assetOf(from);
	const ledger = service.object('SANDBOX_LEDGER', network);
	const { random } = world;
	const payments = story.habit.map(async ([share, delay, given]) => {
		await world.sleep(delay * (0.5 + random.next()));
		const whole = toBaseUnits(view.from.amount, decimals);
		const amount = (whole * BigInt(Math.round(share * 100_000))) / 100_000n || 1n;
		const node = service.nodeOf(network);
		if (node) {
			const sent = node.deposit(view.from.address, amount);
			if (!isPiece(story, share))
				story.paid.push({ txId: sent, network, address: view.from.address, dropped: false, isMade: true });
			return;
		}
		const txId = transactionOf(from, `${story.key} ${random.below(1e9)}`);
		const made: Paid = { txId, network, address: view.from.address, dropped: false, isMade: false };
		if (!isPiece(story, share)) story.paid.push(made);
		const confirmations = given ?? (random.chance(0.3) ? FINAL_CONFIRMATIONS : 0);
		await deposit({ service, world }, { txId, address: made.address, asset: from, amount }, confirmations);
		made.isMade = true;
		if (confirmations > 0) return;
		await world.sleep(1_000 + random.next() * 4 * MINUTE);
		const happens = world.striker.paymentsVanish ? random.next() : STAYS;
		if (happens < 0.06) return forget(ledger, story, made);
		if (happens < 0.12) {
			// Replaced by its sender: another transaction, with another amount.
			await forget(ledger, story, made);
			const other = { ...made, txId: transactionOf(from, `${txId} again`), dropped: false };
			story.paid.push(other);
			const { txId: again, address } = other;
			await deposit({ service, world }, { txId: again, address, asset: from, amount: amount - amount / 10n }, 0);
			await world.sleep(random.next() * MINUTE);
		}
		if (happens > 0.9) {
			// One block holds it, and then none does.
			setConfirmations(ledger, made.txId, 1);
			await world.sleep(random.next() * MINUTE);
			setConfirmations(ledger, made.txId, 0);
			await world.sleep(random.next() * 3 * MINUTE);
			if (random.chance(0.4)) return forget(ledger, story, made);
		}
		await ledger.callAgain('confirm', [made.address]);
	});
	await Promise.all(payments);
}

type Ledger = ReturnType<Service['object']>;

/** Thrown out of the mempool, where it was in no block yet. */
async function forget(ledger: Ledger, story: Story, { address }: Paid): Promise<void> {
	await ledger.callAgain('drop', [address]);
	const paid = story.paid.filter((one) => one.address === address);
	const there = (await ledger.callAgain('lookUp', [paid.map(({ txId }) => txId)])) as { txId: string }[];
	for (const one of paid) one.dropped = !there.some(({ txId }) => txId === one.txId);
}

/** As a reorganisation does it: without a call of the service. */
function setConfirmations({ disk }: Ledger, txId: string, confirmations: number): void {
	disk.touch();
	disk.prepared('UPDATE counter SET change = change + 1').run();
	const set =
		'UPDATE deposits SET confirmations = ?, change = (SELECT change FROM counter) WHERE tx_id = ? AND confirmations < 2';
	disk.prepared(set).run(confirmations, txId);
}

const FINISHED = ['DONE', 'EXPIRED'];

/** Reads the order now and then, and decides an emergency, or leaves it. */
async function watch({ client, world }: Scene, story: Story): Promise<void> {
	const secrets = story.partner;
	const { random } = world;
	for (let reads = 0; reads < 25; reads++) {
		await world.sleep(5_000 + random.next() * 5 * MINUTE);
		const body = { id: story.id, token: story.token };
		const answer = await client
			.send(client.sign(secrets, '/api/v1/order', { ...body, ...withPromise(story) }))
			.catch(() => null);
		if (answer?.code === 6) story.wrong.push('an order that was told is not there');
		if (answer?.code !== 0) continue;
		const view = answer.data as OrderView;
		learn(story, view);
		if (FINISHED.includes(view.status) && random.chance(0.7)) return;
		if (view.status !== 'EMERGENCY' || random.chance(0.5)) continue;
		const choice = random.pick(['EXCHANGE', 'REFUND']);
		await client.send(client.sign(secrets, '/api/v1/emergency', { ...body, choice })).catch(() => null);
	}
}
