/** The partners of a run. */
import type { Credentials } from '../support/partner.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { Member } from './journal.ts';
import { operate } from './load.ts';
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
