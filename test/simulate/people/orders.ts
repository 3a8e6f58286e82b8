/** What a partner and a payer do with one order: at any time, with any amount, and again when no answer came. */
import { assetOf, type AssetId } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/chains/sandbox/confirmations.ts';
import { networkNamed } from '../../../src/catalog/networks.ts';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { OrderView } from '../../../src/orders/view.ts';
import type { Service } from '../service.ts';
import type { World } from '../world.ts';
import { AMOUNTS } from './amounts.ts';
import { newAddress } from './addresses.ts';
import type { Client, Secrets, Sent } from './client.ts';

const MINUTE = 60_000;

export interface Paid {
	readonly txId: string;
	readonly network: string;
	readonly address: string;
	dropped: boolean;
}

/** What an order's partner was told and what its payer did. */
export interface Story {
	readonly key: string;
	readonly toAddress: string;
	readonly refundAddress: string;
	/** Null while no answer has come. */
	id: string | null;
	token: string | null;
	payIn: string | null;
	readonly told: OrderView[];
	readonly paid: Paid[];
	/** What no answer may say and one did. */
	readonly wrong: string[];
}

interface Scene {
	readonly service: Service;
	readonly world: World;
	readonly client: Client;
	readonly secrets: Secrets;
}

/** Lives the order's life; ends when its partner has lost interest. */
export async function liveOrder(scene: Scene, story: Story, from: AssetId, to: AssetId): Promise<void> {
	const created = await create(scene, story, from, to);
	if (!created) return;
	const payer = pay(scene, story, created, from);
	await watch(scene, story);
	await payer;
}

export function newStory(world: World): Story & { readonly from: AssetId; readonly to: AssetId } {
	const { random } = world;
	const from = random.pick(Object.keys(AMOUNTS)) as AssetId;
	const to = random.pick(Object.keys(AMOUNTS).filter((one) => one !== from)) as AssetId;
	const addressOf = (asset: AssetId) => newAddress(assetOf(asset).network, random);
	const key = `key-${random.below(1e9)}-${random.below(1e9)}`;
	const nothing = { id: null, token: null, payIn: null, told: [], paid: [], wrong: [] };
	return { key, from, to, toAddress: addressOf(to), refundAddress: addressOf(from), ...nothing };
}

/** Repeats until something definite comes, always with the same key: that makes one order. */
async function create(scene: Scene, story: Story, from: AssetId, to: AssetId): Promise<OrderView | null> {
	const { client, secrets, world } = scene;
	const body = {
		...{ type: 'float', fromCcy: from, toCcy: to, direction: 'from', amount: AMOUNTS[from] },
		...{ toAddress: story.toAddress, refundAddress: story.refundAddress },
	};
	for (let tries = 0; tries < 12; tries++) {
		const sent = client.sign(secrets, '/api/v1/create', body, { 'idempotency-key': story.key });
		const answer = await client.send(sent).catch(() => null);
		if (answer?.code === 0) {
			const view = answer.data as OrderView & { token: string | null };
			learn(story, view);
			story.token ??= view.token;
			if (world.random.chance(0.1)) await replay(scene, story, sent);
			if (story.token) return view;
			// The first answer was lost, and the token with it: a real partner starts over with another key.
			return null;
		}
		if (answer && ![5, 11, 10, 99].includes(answer.code)) return null;
		await world.sleep(2_000 + world.random.next() * 20_000);
	}
	return null;
}

/** A nonce that was accepted once is never accepted again. */
async function replay({ client }: Scene, story: Story, sent: Sent): Promise<void> {
	const again = await client.send(sent).catch(() => null);
	if (again && again.code !== 3 && again.code !== 5 && again.code !== 11)
		story.wrong.push(`a replayed call answered ${again.code}`);
}

function learn(story: Story, view: OrderView): void {
	if (story.id !== null && story.id !== view.id) story.wrong.push(`one key made the orders ${story.id} and ${view.id}`);
	if (story.payIn !== null && story.payIn !== view.from.address) story.wrong.push('the pay-in address changed');
	if (view.to.address !== story.toAddress) story.wrong.push('the recipient is another one');
	story.id = view.id;
	story.payIn = view.from.address;
	story.told.push(view);
}

type Payment = readonly [share: number, delay: number];

/** Shares of what the order asks for, and milliseconds after its creation. */
const HABITS: readonly (readonly Payment[])[] = [
	...[[[1, 5_000]], [[1, 5_000]], [[1, 60_000]], [[1, 20 * MINUTE]]],
	...[[[0.4, 10_000]], [[0.5, 10_000], [0.5, 40_000]], [[0.2, 5_000], [0.9, 5 * MINUTE]]],
	...[[[2.5, 10_000]], [[1, 10_000], [1, 30_000]], [[0.00002, 5_000]], [[1, 5_000], [0.00002, 9_000]]],
	...[[[1, 70 * MINUTE]], [[1, 10_000], [1, 90 * MINUTE]], []],
] as unknown as readonly (readonly Payment[])[];

async function pay({ service, world }: Scene, story: Story, view: OrderView, from: AssetId): Promise<void> {
	const { network, decimals } = assetOf(from);
	const ledger = service.object('SANDBOX_LEDGER', network);
	const { random } = world;
	const payments = random.pick(HABITS).map(async ([share, delay]) => {
		await world.sleep(delay * (0.5 + random.next()));
		const whole = toBaseUnits(view.from.amount, decimals);
		const amount = (whole * BigInt(Math.round(share * 100_000))) / 100_000n || 1n;
		const txId = sandboxTxId(networkNamed(network).family, `${story.key} ${random.below(1e9)}`);
		const made: Paid = { txId, network, address: view.from.address, dropped: false };
		story.paid.push(made);
		const confirmations = random.chance(0.3) ? FINAL_CONFIRMATIONS : 0;
		await ledger.call('deposit', [{ txId, address: made.address, asset: from, amount: String(amount), confirmations }]);
		if (confirmations > 0) return;
		await world.sleep(1_000 + random.next() * 4 * MINUTE);
		// Replaced by its sender, or thrown out of the mempool.
		if (random.chance(0.06)) {
			if ((await ledger.call('drop', [made.address])) !== 0)
				for (const one of story.paid) if (one.address === made.address && !(await isThere(ledger, one))) one.dropped = true;
		} else await ledger.call('confirm', [made.address]);
	});
	await Promise.all(payments);
}

async function isThere(ledger: { call(method: string, args: unknown[]): Promise<unknown> }, { txId }: Paid) {
	return ((await ledger.call('lookUp', [[txId]])) as unknown[]).length > 0;
}

const FINISHED = ['DONE', 'EXPIRED'];

/** Reads the order now and then, and decides an emergency, or leaves it. */
async function watch({ client, secrets, world }: Scene, story: Story): Promise<void> {
	const { random } = world;
	for (let reads = 0; reads < 40; reads++) {
		await world.sleep(10_000 + random.next() * 6 * MINUTE);
		const body = { id: story.id, token: story.token };
		const answer = await client.send(client.sign(secrets, '/api/v1/order', body)).catch(() => null);
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
