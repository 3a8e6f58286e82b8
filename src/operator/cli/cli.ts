/** The operator's command, `npx exchange COMMAND …`, as a process: what it prints and its exit status are the process's. */
import { runCommand } from './main.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
	output: process.stdout,
	complain: (line) => console.error(line),
	environment: process.env,
});
