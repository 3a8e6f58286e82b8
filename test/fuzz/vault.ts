/**
 * A fuzz target: the vault, which signs. The attacker stands where its callers stand, and bytes decide what they do: they
 * call it with anything, write any row of the database, set it back, end the vault's process, let time pass, and broadcast
 * what is signed for them. They have no key.
 */
import { assetOf, isAssetId } from '../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../src/catalog/confirmations.ts';
import { Random } from '../cast/random.ts';
import { Plan } from '../simulate/faults.ts';
import { paidElsewhere, paidTooMuch } from '../simulate/invariants/payments.ts';
import { aboveCap } from '../simulate/invariants/signer.ts';
import { newAddress } from '../simulate/people/addresses.ts';
import { Crowd, type Saved } from '../simulate/people/crowd.ts';
import type { Habit } from '../simulate/people/orders.ts';
import { ATTACK_NAMES, attack } from '../simulate/people/outsider.ts';
import type { Codes } from '../simulate/platform/code.ts';
import { entrypointBinding } from '../simulate/platform/entrypoint.ts';
import { NETWORKS, type Setting, signerVariables } from '../simulate/settings.ts';
import { World } from '../simulate/world.ts';
import { type Call, drawCall, Pool } from './calls.ts';
import { Choices } from './choices.ts';
import { writeRows } from './rows.ts';

const START = Date.UTC(2026, 0, 5, 9);
const MOMENTS = 8;
const APART_MILLISECONDS = 500;
/** Milliseconds in which nothing runs, and what was due runs after them. */
const LEAPS = [0, 60_000, 3_600_000, 100_000_000];
const AWAKE_MILLISECONDS = 10_000;
/** Dollars: what the orders are worth reaches it. */
const SETTING: Setting = { isOnNode: false, capUsd: 8_000, isLarge: false, isHoused: false };
const SECRETS = ['SEED', 'SEAL_KEY'];
const HABITS: readonly Habit[] = [
	[[1, 1_000, FINAL_CONFIRMATIONS]],
	[[1, 1_000, 0]],
	[[0.02, 1_000]],
	[],
	[
		[1, 1_000],
		[1, 9_000],
	],
	[[1, 2_000, FINAL_CONFIRMATIONS]],
];

/** The service at moments in which orders lived, most of them before they were paid: an input begins in one of them. */
export async function beginnings(codes: Codes): Promise<Saved[]> {
	const world = new World(new Random(1), new Plan(), START, false);
	const crowd = new Crowd(world, codes, SETTING);
	await crowd.open();
	for (const habit of HABITS) void crowd.liveOrder(habit);
	const saved: Saved[] = [];
	for (let i = 0; i < MOMENTS; i++) {
		await world.run(world.now + APART_MILLISECONDS);
		saved.push(crowd.save());
	}
	return saved;
}

/** What must never be and was, a sentence each. The same bytes give the same answer. */
export async function fuzzVault(codes: Codes, all: readonly Saved[], bytes: Uint8Array): Promise<string[]> {
	const choices = new Choices(bytes);
	const place = choices.below(all.length);
	const [saved, before] = [all[place], all[choices.below(place + 1)]];
	if (!saved || !before) throw new Error('no beginning');
	const world = new World(new Random(1), new Plan(), saved.now, false);
	const crowd = new Crowd(world, codes, SETTING, saved);
	const own = NETWORKS.map((network) => newAddress(network, world.random));
	crowd.stolenTo.push(...own);
	const attacker = new Attacker(crowd, new Pool(crowd, choices, own));
	while (!choices.isOver) {
		const step = choices.below(16);
		if (step < 7) await attacker.call();
		else if (step < 10) writeRows(crowd, attacker.pool);
		else if (step < 13) attack(crowd, choices.pick(crowd.stories), choices.pick(ATTACK_NAMES));
		else if (step === 13) crowd.service.setBack(before.service.d1);
		else if (step === 14) crowd.service.object('VAULT', 'vault').end('fuzzed');
		else {
			world.leap(choices.pick(LEAPS));
			await world.run(world.now + AWAKE_MILLISECONDS);
		}
	}
	return [...attacker.wrong, ...paidElsewhere(crowd), ...paidTooMuch(crowd), ...aboveCap(crowd)];
}

type Calls = Record<string, (...args: unknown[]) => Promise<unknown>>;

class Attacker {
	readonly pool: Pool;
	readonly wrong: string[] = [];
	readonly #crowd: Crowd;
	readonly #vault: Calls;
	readonly #secrets: readonly string[];
	#entries = 0;

	constructor(crowd: Crowd, pool: Pool) {
		[this.#crowd, this.pool] = [crowd, pool];
		const { world, service } = crowd;
		const outside = { alive: true, durableAt: 0, crash: () => undefined };
		this.#vault = entrypointBinding(world, outside, 'Signer', () => service.signerIsolate()) as Calls;
		const variables = signerVariables(SETTING);
		this.#secrets = SECRETS.map((name) => String(variables[name]));
	}

	/** A refusal by name, an error and an answer are all the same: what counts is what was signed. */
	async call(): Promise<void> {
		const call = drawCall(this.pool);
		const answer = await this.#crowd.finished(Promise.resolve(this.#vault[call.name]?.(...call.args))).catch(String);
		this.#judge(call, answer);
		for (const raw of signedIn(answer)) await this.#broadcast(raw);
	}

	#judge({ name }: Call, answer: unknown): void {
		const text = JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '';
		if (this.#secrets.some((secret) => text.includes(secret))) this.wrong.push(`${name} tells a secret`);
		if (name === 'signReserves' && Array.isArray(answer))
			this.wrong.push('a reserve is signed of coins that nobody else can see');
		// A journal that has signed nothing may be replaced.
		if (name === 'beginRestore' && answer === true) this.#entries = 0;
		const { entries } = Object(answer) as { readonly entries?: number };
		if (typeof entries !== 'number') return;
		if (entries < this.#entries) this.wrong.push(`after ${name} the journal has fewer entries than before`);
		this.#entries = entries;
	}

	async #broadcast(raw: string): Promise<void> {
		const payout = JSON.parse(raw) as { readonly asset: string };
		if (!isAssetId(payout.asset)) return;
		const ledger = this.#crowd.service.object('SANDBOX_LEDGER', assetOf(payout.asset).network);
		await this.#crowd.finished(ledger.call('broadcast', [payout]));
	}
}

/** Wherever an answer has them. */
function signedIn(answer: unknown): string[] {
	if (typeof answer !== 'object' || answer === null) return [];
	const { raw } = answer as { readonly raw?: unknown };
	return [...(typeof raw === 'string' ? [raw] : []), ...Object.values(answer).flatMap(signedIn)];
}
