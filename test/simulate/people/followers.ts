/** An operator who does to the letter what is printed, as `test/support/followed.ts`, but sees it by the API. */
import { commandsIn, commandsOf, type Printed, type Told } from '../../support/printed-commands.ts';
import type { Crowd } from './crowd.ts';

const ROUNDS = 8;
const BETWEEN_MILLISECONDS = 4_000;

/** Until `restored show` has nothing, or eight times: a fault may have prevented it. */
export async function followAdvice(crowd: Crowd): Promise<void> {
	const { client, world } = crowd;
	async function follow({ path, input }: Printed, isRefusal = false): Promise<boolean> {
		try {
			await client.operate(path, input);
			return true;
		} catch (error) {
			if (isRefusal || !(error instanceof Error)) return false;
			for (const next of commandsIn(error.message)) if (await follow(next, true)) break;
			return false;
		}
	}
	for (let round = 0; round < ROUNDS; round++) {
		const attention = await client.operate<Told['attention']>('attention').catch(() => []);
		const shown = await client.operate<Pick<Told, 'waiting'>>('restored/show').catch(() => null);
		for (const printed of commandsOf({ attention, waiting: shown?.waiting ?? [] })) await follow(printed);
		await world.sleep(BETWEEN_MILLISECONDS);
		if (shown?.waiting.length === 0 && round > 1) break;
	}
	crowd.noteBooked();
}
