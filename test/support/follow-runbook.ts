/**
 * A runbook of the bad hour, followed to the letter: its commands are read from the book, in its order, and what it says that
 * they print must be printed. A test fills in what the book writes in capitals.
 */
import { expect } from 'vitest';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { operatorOf } from './operator.ts';
import { type BookCommand, commandsOf } from './runbooks.ts';
import { eventually, type TestService } from './service.ts';

/** A word in capitals stands for what the reader fills in, but for the names of keys. */
const PLACEHOLDER = /\b(?!(?:SEAL_KEY|SECRETS_KEY|OPERATOR_TOKEN|NODE_URL_NETWORK)\b)[A-Z]+\b/g;

/** What stands for a word in capitals. A last word may stand for several, as DIGEST. */
type Values = Readonly<Record<string, string | readonly string[]>>;

/** @throws where a word in capitals has no value */
function filled(text: string, values: Values): string[] {
	const several = values[text];
	if (typeof several === 'object') return [...several];
	const one = text.replaceAll(PLACEHOLDER, (name) => {
		const value = values[name] ?? (name === 'R' ? 'rehearsed' : undefined);
		if (typeof value !== 'string') throw new Error(`\`${text}\` needs a value for ${name}`);
		return value;
	});
	return [one];
}

interface Followed {
	/** Runs the next command, which is `command`. Answers what it printed. */
	step(command: string, values?: Values): Promise<string>;
	/** The next command is not the service's: what stands for it here is done instead. */
	elsewhere(command: string, standIn?: () => Promise<unknown>): Promise<void>;
	/** All commands were run; those that change something are run once more, by somebody who begins a second time. */
	end(): Promise<void>;
}

/**
 * Somebody who follows a runbook, and breaks off and begins again before each step: each command that changes something and
 * was run is run again. It must be done without harm, or refused in one plain line.
 */
export function followRunbook(heading: string, service: () => TestService): Followed {
	const left = commandsOf(heading);
	const done: string[][] = [];
	const { run } = operatorOf(service, Number.POSITIVE_INFINITY);

	function next(command: string): BookCommand {
		const found = left.shift();
		expect(found?.text, `the next command of “${heading}”`).toBe(command);
		return found as BookCommand;
	}

	async function once(words: readonly string[]): Promise<string> {
		const { status, stdout, stderr } = await run(...words);
		// A check that found something says so beside its answer, and by its exit status.
		if (!isReading(words) || stdout === '') expect([words.join(' '), status, stderr]).toEqual([words.join(' '), 0, '']);
		return stdout;
	}

	async function again(): Promise<void> {
		for (const words of done) {
			const { status, stderr } = await run(...words);
			expect([words.join(' '), status, stderr]).toEqual([
				words.join(' '),
				expect.toBeOneOf([0, 1]),
				status === 0 ? '' : expect.stringMatching(/^.+\n$/),
			]);
		}
		expect(service().logged('operator_command_failed')).toEqual([]);
	}

	return {
		async step(command, values = {}) {
			const { text, prints } = next(`exchange ${command}`);
			await again();
			const [, ...written] = text.split(' ');
			const words = written.flatMap((word) => filled(word, values));
			const wanted = prints.flatMap((each) => filled(each, values));
			let printed = await once(words);
			const isPrinted = () => wanted.every((each) => printed.includes(each));
			if (isReading(words)) {
				// Who looks too early looks again.
				const what = `\`${words.join(' ')}\` to print ${wanted.join(', ')}`;
				const look = async () => {
					if (!isPrinted()) printed = await once(words);
					return isPrinted();
				};
				await eventually(what, look).catch((error: Error) => {
					throw new Error(`${error.message}; it prints ${printed}`);
				});
			} else done.push(words);
			for (const each of wanted) expect(printed).toContain(each);
			return printed;
		},
		async elsewhere(command, standIn) {
			next(command);
			await standIn?.();
		},
		async end() {
			expect(left.map(({ text }) => text)).toEqual([]);
			await again();
		},
	};
}

function isReading(words: readonly string[]): boolean {
	const parsed = parseCommandLine(words);
	return parsed.kind === 'request' && parsed.declaration.reads === true;
}
