/** `--watch`: draws an answer again and again, until the person ends it. */
import { setTimeout as wait } from 'node:timers/promises';
import { absoluteText } from '../reading/time.ts';

/** Clears the screen and puts the cursor on top. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

export interface Screen {
	readonly isTTY?: boolean;
	/** Characters of a line; unknown where it is no terminal. */
	readonly columns?: number;
	/** Lines; unknown where it is no terminal. */
	readonly rows?: number;
	write(text: string): unknown;
}

/** `draw`: the text of now; what it throws is the caller's. Each drawing has ended before the pause begins. */
export async function watch(
	screen: Screen,
	seconds: number,
	title: string,
	draw: () => Promise<string>,
): Promise<never> {
	for (;;) {
		const text = await draw();
		const lines = [
			`${title}, every ${seconds} s, ${absoluteText(Date.now())} UTC; Ctrl-C ends it`,
			'',
			...text.split('\n'),
		];
		screen.write(`${screen.isTTY ? CLEAR : ''}${fitted(lines, screen.rows).join('\n')}\n`);
		await wait(seconds * 1000);
	}
}

/** On a terminal the top must stay in sight. */
function fitted(lines: readonly string[], rows: number | undefined): readonly string[] {
	if (rows === undefined || lines.length < rows) return lines;
	const kept = Math.max(1, rows - 2);
	return [...lines.slice(0, kept), `… ${lines.length - kept} more lines`];
}
