/** The part of `npm run chaos` on the sandbox: the service killed, its processes stopped, its disk full. */
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { type Checked, checkLedger } from './checks.ts';
import { sandboxPayers, type World } from './load.ts';
import { ChaosService } from './service.ts';
import { addMembers, type Played, play } from './stage.ts';
import { type Struck, strikeDisk, strikeKills, strikeStops } from './strikes.ts';

const PARTNERS = 5;
/** Some dozens of calls a second, together. */
const THINK_MILLISECONDS = 40;

export type SandboxRun = Played<Struck & { readonly disk: readonly Checked[] }>;

export async function killService(folder: string, seed: number, kills: number): Promise<SandboxRun> {
	const receiver = await startWebhookReceiver();
	const service = await ChaosService.inFolder(folder, { ADDRESS_POOL: '100' });
	try {
		await service.launch();
		await service.untilServing();
		const members = await addMembers(service, receiver, PARTNERS);
		const payers = sandboxPayers(service);
		const stage = { service, receiver, members, payers, seed, thinkMilliseconds: THINK_MILLISECONDS, replays: 50 };
		const strike = async (world: World) => {
			const struck = await strikeKills(world, kills);
			await strikeStops(world, struck);
			return { ...struck, disk: await strikeDisk(world, struck) };
		};
		return await play(stage, strike, async (_, { disk }) => [await checkLedger(service), ...disk]);
	} finally {
		await service.stop();
		await receiver.close();
	}
}
