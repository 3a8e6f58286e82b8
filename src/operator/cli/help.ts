/** The format of the help: commander's own, with the commands of every topic in the overview. Pure. */
import { type Argument, type Command, Help, type HelpConfiguration } from 'commander';

export const PROGRAM = 'npx exchange';

export const ABOUT =
	'Operates the running service; without a command it says how the service is. Every change takes effect at once and is written to the audit log.';

export const OVERVIEW_END = `
Environment:
  SERVICE_URL     the service (default http://127.0.0.1:$PORT, PORT default 8787)
  OPERATOR_TOKEN  its operator token; not needed for a service that npm start runs here
  STATE_DIR       where npm start keeps its state and its token (default .state)

More on one command: ${PROGRAM} partner create --help`;

export const HELP: HelpConfiguration = {
	showGlobalOptions: true,
	/** `order list`, `order show <ID>`: the words below the program, then the arguments. */
	subcommandTerm: (command) => {
		const words = command.parent?.parent ? [command.parent.name(), command.name()] : [command.name()];
		return [...words, ...command.registeredArguments.map(termOf)].join(' ');
	},
	formatHelp: (command, helper) => {
		// Not as the configuration of `visibleCommands`: commander suggests these for an unknown word, and a topic's
		// commands are not the program's.
		if (!command.parent) helper.visibleCommands = leavesOf;
		return Help.prototype.formatHelp.call(helper, command, helper);
	},
};

const leavesOf = ({ commands }: Command): Command[] =>
	commands.flatMap((one) => (one.summary() === '' ? one.commands : [one, ...one.commands]));

function termOf(argument: Argument): string {
	const words = argument.variadic ? `${argument.name()}...` : argument.name();
	return argument.required ? `<${words}>` : `[${words}]`;
}
