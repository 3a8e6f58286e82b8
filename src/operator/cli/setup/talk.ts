/**
 * Questions to the person who runs `setup`, one line each. A wrong answer is explained and asked again. Input that has
 * ended is never taken for a yes.
 */
import { createInterface } from 'node:readline';

/** Ends `setup`. Its message says what is wrong and what to do. */
export class Stopped extends Error {}

/** An answer that is asked again. */
export class Wrong {
	readonly why: string;

	constructor(why: string) {
		this.why = why;
	}
}

export interface Talk {
	say(text: string): void;
	/** The answer as `read` understands it, as soon as that is not `Wrong`. @throws Stopped where the input has ended */
	ask<T>(question: string, read: (answer: string) => Promise<T | Wrong> | T | Wrong): Promise<T>;
	confirm(question: string): Promise<boolean>;
	/** Removes what was said so far from the terminal. */
	clear(): void;
	close(): void;
}

const CLEAR_WITH_SCROLLBACK = '\u001b[2J\u001b[3J\u001b[H';

export function talkOnTerminal(): Talk {
	const input = createInterface({ input: process.stdin, output: process.stdout });
	const lines = input[Symbol.asyncIterator]();
	// A terminal in raw mode hands Ctrl-C to the interface alone.
	input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
	const say = (text: string) => console.log(text);

	async function ask<T>(question: string, read: (answer: string) => Promise<T | Wrong> | T | Wrong): Promise<T> {
		for (;;) {
			input.setPrompt(`${question} `);
			input.prompt();
			const line = await lines.next();
			if (line.done) throw new Stopped('there is no answer, because the input has ended: run setup in a terminal');
			if (!process.stdin.isTTY) say('');
			const answer = await read(line.value.trim());
			if (!(answer instanceof Wrong)) return answer;
			say(answer.why);
		}
	}

	return {
		say,
		ask,
		confirm: (question) => ask(`${question} [yes/no]`, yesOrNo),
		clear: () => process.stdout.isTTY && process.stdout.write(CLEAR_WITH_SCROLLBACK),
		close: () => input.close(),
	};
}

function yesOrNo(answer: string): boolean | Wrong {
	if (/^(?:y|yes)$/i.test(answer)) return true;
	if (/^(?:n|no)$/i.test(answer)) return false;
	return new Wrong('Answer yes or no.');
}
