/** The operator's command, `npx exchange COMMAND …`, as a process: what it prints and its exit status are the process's. */
import { runCommand } from './main.ts';
import { unseenLine } from './unseen-line.ts';

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
