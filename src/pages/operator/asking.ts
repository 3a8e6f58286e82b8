/** Asks a command in the name of who is signed in. */
import type { Context } from 'hono';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { CommandAnswer } from '../../ports/desk.ts';
import type { Input } from './commands.ts';
import type { ConsoleEnv } from './operator.ts';
import type { Ask } from './preview.ts';

export const answerTo = (c: Context<ConsoleEnv>, path: CommandPath, input: Input): Promise<CommandAnswer> =>
	c.env.desk.operate(path, input);

export const askerOf =
	(c: Context<ConsoleEnv>): Ask =>
	async (path, input) => {
		const answer = await answerTo(c, path, input);
		return answer.ok ? answer.data : null;
	};
