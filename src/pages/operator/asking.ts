/** The requests of the console: who sent one, as the desk says it, and commands that are asked in their name. */
import type { Context } from 'hono';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { CommandAnswer, Operator } from '../../ports/desk.ts';
import type { PageEnv } from '../env.ts';
import type { Input } from './commands.ts';
import type { Ask } from './preview.ts';

export interface ConsoleEnv extends PageEnv {
	readonly Variables: { operator: Operator };
}

export type ConsoleContext = Context<ConsoleEnv>;

export const answerTo = (c: ConsoleContext, path: CommandPath, input: Input): Promise<CommandAnswer> =>
	c.env.desk.operate(path, input);

export const askerOf =
	(c: ConsoleContext): Ask =>
	async (path, input) => {
		const answer = await answerTo(c, path, input);
		return answer.ok ? answer.data : null;
	};
