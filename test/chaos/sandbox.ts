/** The part of `npm run chaos` on the sandbox: the service killed, its processes stopped, its disk full. */
import { Random } from '../simulate/random.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { type Checked, checkAnswers, checkLedger, checkMembers, untilRest } from './checks.ts';
import { Journal, type Member } from './journal.ts';
import { live, replaySpent, sandboxPayers } from './load.ts';
import { addMembers } from './members.ts';
import { ChaosService } from './service.ts';
import { type Struck, strikeDisk, strikeKills, strikeStops } from './strikes.ts';

const PARTNERS = 5;
/** Some dozens of calls a second, together. */
const THINK_MILLISECONDS = 40;

export interface SandboxRun {
	readonly checks: readonly Checked[];
	readonly journal: Journal;
	readonly members: readonly Member[];
	readonly struck: Struck;
}

export async function killService(folder: string, seed: number, kills: number): Promise<SandboxRun> {
	const receiver = await startWebhookReceiver();
	const service = await ChaosService.inFolder(folder, { ADDRESS_POOL: '100' });
	try {
		await service.launch();
		await service.untilServing();
		const members = await addMembers(service, receiver, PARTNERS);
		const journal = new Journal();
		let isOver = false;
		const random = new Random(seed);
		const payers = sandboxPayers(service);
		const world = { service, journal, random, payers, isOver: () => isOver, thinkMilliseconds: THINK_MILLISECONDS };
		// What a partner does next is drawn apart, so that its order of calls does not move the kills.
		const partners = members.map((member, i) => live({ ...world, random: new Random(seed + 1 + i) }, member, i > 0));
		const struck = await strikeKills(world, kills);
		await strikeStops(world, struck);
		const disk = await strikeDisk(world, struck);
		isOver = true;
		await Promise.all(partners);
		await replaySpent(world, 50);
		const rest = await untilRest(service, journal, receiver);
		const checks = [...rest, ...(await checkMembers(service, members)), await checkLedger(service)];
		return { checks: [...checks, ...checkAnswers(journal), ...disk], journal, members, struck };
	} finally {
		await service.stop();
		await receiver.close();
	}
}
