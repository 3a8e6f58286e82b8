/**
 * The operator's command: `npm run operator -- COMMAND …` (operator.md). Exit status: 0 done, 1 the service said no or
 * cannot be asked, or a check found something, 2 the command was not understood, 3 a check could not look at everything.
 */
import type { Command } from './command.ts';
import { parseCommandLine } from './parse.ts';
import { render } from './render.ts';
import { ServiceError, send } from './service.ts';

/** Where the output is no terminal, so that a script's tables do not depend on somebody's window. */
const DEFAULT_WIDTH = 200;

async function main(words: readonly string[]): Promise<number> {
	const parsed = parseCommandLine(words);
	switch (parsed.kind) {
		case 'help':
			console.log(parsed.text);
			return 0;
		case 'usage':
			console.error(oneLine(parsed.error));
			return 2;
		case 'request': {
			const { command, input, json, wide } = parsed;
			const data = await send(command, input, process.env);
			if (json) console.log(JSON.stringify(data, null, 2));
			else
				console.log(render(data, command, wide ? Number.POSITIVE_INFINITY : (process.stdout.columns ?? DEFAULT_WIDTH)));
			if (!json && command.afterwards) console.log(`\n${command.afterwards}`);
			return judge(command, data);
		}
		default:
			return parsed satisfies never;
	}
}

/** A check that finds something has said what in its answer; the status and one line are for scripts and their logs. */
function judge({ failsOn }: Command, data: unknown): number {
	const counts = new Map<string, unknown>(Object.entries(Array.isArray(data) ? { length: data.length } : Object(data)));
	// A count that is not there is not 0: a check that did not say that all is well did not find it so.
	const failing = failsOn?.find(({ field }) => counts.get(field) !== 0);
	if (!failing) return 0;
	console.error(failing.message);
	return failing.status ?? 1;
}

/** What was typed, or what the service said, may hold anything. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

try {
	process.exitCode = await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof ServiceError)) throw error;
	console.error(oneLine(error.message));
	process.exitCode = 1;
}
