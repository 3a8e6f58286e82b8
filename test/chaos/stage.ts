/** A run on either stage: its partners live while something strikes, and then what they were told is compared. */
import { operate } from '../cast/operator.ts';
import { Random } from '../cast/random.ts';
import type { Credentials } from '../support/partner.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import { type Checked, checkAnswers, checkMembers, untilRest } from './checks.ts';
import { Journal, type Member } from './journal.ts';
import { live, type Payers, replaySpent, type World } from './load.ts';
import type { ChaosService } from './service.ts';

/** No limit of a partner or of the site is what is tested. */
const LIMITS = { dailyCapUsd: 1_000_000_000, unpaidShareBps: 10_000 };

export async function addMembers(service: ChaosService, receiver: WebhookReceiver, count: number): Promise<Member[]> {
	const members: Member[] = [];
	for (let i = 0; i < count; i++) {
		const input = { name: `Partner ${i}`, weightPerMinute: 1_000_000, webhookUrl: receiver.url };
		const { data, ok, error } = await operate<Credentials>(service, 'partner/create', input);
		if (!ok) throw new Error(`partner create: ${error}`);
		members.push({ credentials: data, endedSecrets: [], codes: [], rotations: 0 });
	}
	await operate(service, 'site/update', LIMITS);
	return members;
}

export interface Stage {
	readonly service: ChaosService;
	readonly receiver: WebhookReceiver;
	readonly members: readonly Member[];
	readonly payers: Payers;
	readonly seed: number;
	readonly thinkMilliseconds: number;
	/** Spent nonces that are sent again at the end. */
	readonly replays: number;
}

export interface Played<Struck> {
	readonly checks: readonly Checked[];
	readonly journal: Journal;
	readonly members: readonly Member[];
	readonly struck: Struck;
}

/** `compare`: what else is checked once all is at rest. */
export async function play<Struck>(
	{ service, receiver, members, payers, seed, thinkMilliseconds, replays }: Stage,
	strike: (world: World) => Promise<Struck>,
	compare: (journal: Journal, struck: Struck) => Promise<readonly Checked[]>,
): Promise<Played<Struck>> {
	const journal = new Journal();
	let isOver = false;
	const world: World = { service, journal, payers, random: new Random(seed), isOver: () => isOver, thinkMilliseconds };
	// What a partner does next is drawn apart, so that its order of calls does not move what strikes.
	const partners = members.map((member, i) => live({ ...world, random: new Random(seed + 1 + i) }, member, i > 0));
	const struck = await strike(world);
	isOver = true;
	await Promise.all(partners);
	await replaySpent(world, replays);
	const rest = await untilRest(service, journal, receiver);
	const checks = [...rest, ...(await checkMembers(service, members)), ...(await compare(journal, struck))];
	return { checks: [...checks, ...checkAnswers(journal)], journal, members, struck };
}
