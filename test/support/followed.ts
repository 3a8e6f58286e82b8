/**
 * An operator who does to the letter what is printed. Each round they run every command that `attention` and `restored show`
 * name and that changes something, and where one is refused, what the refusal names: of several, until one is accepted.
 */
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { operatorOf } from './operator.ts';
import type { TestService } from './service.ts';

export interface Round {
	/** Rows that `restored show` had. */
	readonly waiting: number;
	/** Each command, and how it ended. */
	readonly told: readonly string[];
}

/** Refusals of refusals that are followed. */
const DEEPEST = 3;
/** It stands for what the reader has to find out, or to decide. A reason they make up. */
const PLACEHOLDER = /^(ID|T|N|NAME|PARTNER|ADDRESS|AMOUNT)$|\|/;

/** What the text names and a person may type as it stands, but for what only reads. */
export function commandsIn(text: string): string[] {
	return [...text.matchAll(/`([a-z][^`]+)`/g)].flatMap(([, command = '']) => {
		const words = command.split(' ');
		if (!Object.hasOwn(TOPICS, words[0] ?? '') || words.some((word) => PLACEHOLDER.test(word))) return [];
		const parsed = parseCommandLine(words);
		return parsed.kind === 'request' && !parsed.declaration.reads ? [command] : [];
	});
}

export async function followEverything(service: TestService): Promise<Round> {
	const { run, json } = operatorOf(() => service);
	const told: string[] = [];
	async function follow(command: string, depth: number): Promise<boolean> {
		const { status, stderr } = await run(...command.split(' '));
		told.push(`${'  '.repeat(depth)}${command}: ${stderr.trim() || 'done'}`);
		if (status === 0) return true;
		if (depth === DEEPEST) return false;
		for (const next of commandsIn(stderr)) if (next !== command && (await follow(next, depth + 1))) break;
		return false;
	}
	const attention = await service.operator<{ todo: string; cause: string }[]>('attention');
	const { waiting } = await json<{ waiting: { do: string }[] }>('restored', 'show');
	const named = [
		...attention.flatMap(({ todo, cause }) => commandsIn(`${cause} ${todo}`)),
		// Where a person is to tell, they find that it was this order.
		...waiting.flatMap((row) => commandsIn(`\`${row.do.replace(/ if it was .*| or restored .*/, '')}\``)),
	];
	for (const command of new Set(named)) await follow(command, 0);
	return { waiting: waiting.length, told };
}
