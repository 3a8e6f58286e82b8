/**
 * The operator's command: `npx exchange COMMAND …`. Exit status: 0 done, 1 the service refused or cannot be reached, or
 * a check found something, 2 the command line is wrong, 3 a check could not check everything.
 */
import type { Declaration } from '../topic.ts';
import { parseCommandLine } from './parse.ts';
import { render } from './render.ts';
import { ServiceError, send } from './service.ts';

/** Width when the output is not a terminal, so that a script's tables do not depend on a window. */
const DEFAULT_WIDTH = 200;

async function main(words: readonly string[]): Promise<number> {
	const width = process.stdout.columns ?? DEFAULT_WIDTH;
	const parsed = parseCommandLine(words, width);
	switch (parsed.kind) {
		case 'help':
			console.log(parsed.text);
			return 0;
		case 'usage':
			console.error(oneLine(parsed.error));
			return 2;
		case 'request': {
			const { path, declaration, input, json, wide } = parsed;
			const data = await send(path, input, process.env);
			console.log(
				json ? JSON.stringify(data, null, 2) : textOf(declaration, data, wide ? Number.POSITIVE_INFINITY : width),
			);
			return judge(declaration, data);
		}
		case 'setup': {
			// Loaded only here: no other command needs it.
			const { setup } = await import('./setup/setup.ts');
			return setup(parsed.options);
		}
		default:
			return parsed satisfies never;
	}
}

function textOf(declaration: Declaration, data: unknown, width: number): string {
	const text = render(data, declaration, width);
	return declaration.afterwards ? `${text}\n\n${declaration.afterwards}` : text;
}

/** The exit status. Standard error says which rule set it, for scripts and their logs. */
function judge({ exitRules }: Declaration, data: unknown): number {
	const counts = new Map<string, unknown>(Object.entries(Array.isArray(data) ? { length: data.length } : Object(data)));
	// A missing count is not 0: the answer must say that all is well.
	const broken = exitRules?.find(({ field }) => counts.get(field) !== 0);
	if (!broken) return 0;
	console.error(broken.message);
	return broken.status ?? 1;
}

/** The words that were typed and the service's answer may contain control characters. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

try {
	process.exitCode = await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof ServiceError)) throw error;
	console.error(oneLine(error.message));
	process.exitCode = 1;
}
