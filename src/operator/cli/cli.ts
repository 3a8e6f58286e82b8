/** The operator's command, `npx exchange COMMAND …`, as a process: what it prints and its exit status are the process's. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { runCommand } from './main.ts';

// `| head` closes the pipe once it has what it wants. That is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code !== 'EPIPE') throw error;
	process.exit(0);
});

process.exitCode = await runCommand(process.argv.slice(2), {
	output: process.stdout,
	complain: (line) => console.error(line),
	environment: process.env,
	secret: unseenLine,
});

/**
 * A secret that a person types or pipes, which is never a word of the command line: the list of processes shows those. The
 * first line, without the blanks around it; empty where there is none. On a terminal nothing of it is shown.
 */
async function unseenLine(name: string): Promise<string> {
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
