/** A secret that a person types or pipes. It is never a word of the command line: the list of processes shows those. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The first line, without the blanks around it; empty where there is none. On a terminal nothing of it is shown. */
export async function unseenLine(name: string): Promise<string> {
	const { stdin, stderr } = process;
	const nowhere = new Writable({ write: (_, __, done) => done() });
	const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
	if (stdin.isTTY) stderr.write(`${name}, which is not shown: `);
	// A terminal in raw mode hands Ctrl-C to the interface alone.
	lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
	try {
		for await (const line of lines) return line.trim();
		return '';
	} finally {
		lines.close();
		if (stdin.isTTY) stderr.write('\n');
	}
}
