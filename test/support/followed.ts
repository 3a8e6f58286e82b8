/**
 * An operator who does to the letter what is printed. Each round they run every command that `attention` and `restored show`
 * name and that changes something, and where one is refused, what the refusal names: of several, until one is accepted.
 */
import { operatorOf } from './operator.ts';
import { commandsIn, commandsOf, type Told } from './printed-commands.ts';
import type { TestService } from './service.ts';

export interface Round {
	/** Rows that `restored show` had. */
	readonly waiting: number;
	/** Each command, and how it ended. */
	readonly told: readonly string[];
}

/** Refusals of refusals that are followed. */
const DEEPEST = 3;

export async function followEverything(service: TestService): Promise<Round> {
	const { run, json } = operatorOf(() => service);
	const told: string[] = [];
	async function follow(command: string, depth: number): Promise<boolean> {
		const { status, stderr } = await run(...command.split(' '));
		told.push(`${'  '.repeat(depth)}${command}: ${stderr.trim() || 'done'}`);
		if (status === 0) return true;
		if (depth === DEEPEST) return false;
		for (const { line } of commandsIn(stderr)) if (line !== command && (await follow(line, depth + 1))) break;
		return false;
	}
	const attention = await service.operator<Told['attention']>('attention');
	const { waiting } = await json<Pick<Told, 'waiting'>>('restored', 'show');
	for (const { line } of commandsOf({ attention, waiting })) await follow(line, 0);
	return { waiting: waiting.length, told };
}
