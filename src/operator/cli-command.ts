/** What a command is to the command line: its words, arguments and flags. The table of them is `cli-commands.ts`. */

export interface Argument {
	/** As the help shows it: `ID`. */
	readonly name: string;
	/** The input's field that it fills. */
	readonly field: string;
	/** One or more, the field is an array; only the last argument can be. */
	readonly many?: true;
	/** May be left out. */
	readonly optional?: true;
	readonly choices?: readonly string[];
	readonly help: string;
}

export interface Flag {
	/** Without its dashes: `webhook-url`. The input's field is the same in camel case. */
	readonly name: string;
	/** `present` takes no value; `list` takes several, separated by commas; `switch` is a boolean said as `on|off`. */
	readonly kind: 'text' | 'integer' | 'boolean' | 'switch' | 'list' | 'present';
	/** What stands for the value in the help; kinds that have an obvious one need none. */
	readonly value?: string;
	readonly choices?: readonly string[];
	readonly required?: true;
	/** The word `none` clears the field. */
	readonly clearable?: true;
	readonly help: string;
}

export interface Command {
	readonly topic: string;
	readonly verb: string;
	/** One line. */
	readonly summary: string;
	readonly details?: string;
	readonly arguments: readonly Argument[];
	readonly flags: readonly Flag[];
	/** Does nothing without at least one flag. */
	readonly needsFlag?: true;
	/** The answer's field that counts what is wrong: above 0, the exit status is 1, and `message` is said. */
	readonly failsOn?: { readonly field: string; readonly message: string };
	/** Printed under the answer, for people only. */
	readonly afterwards?: string;
	/** Columns of a list's table, by dotted path; every other field is left to `show` and to `--json`. */
	readonly columns?: readonly string[];
}

/** What is sent: a POST to `/operator/v1/<topic>/<verb>`. */
export type Input = Readonly<Record<string, unknown>>;

export const fieldOf = (flag: Flag): string => flag.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
