/** What a command is to the command line: its words, arguments and flags. The table of them is `commands.ts`. */

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
	/** Empty where the topic alone is the command: `attention`. */
	readonly verb: string;
	/** One line. */
	readonly summary: string;
	readonly details?: string;
	readonly arguments: readonly Argument[];
	readonly flags: readonly Flag[];
	/** Does nothing without at least one flag. */
	readonly needsFlag?: true;
	/** What makes the exit status other than 0; of several that do, the first. */
	readonly failsOn?: readonly Failing[];
	/** Printed under the answer, for people only. */
	readonly afterwards?: string;
	/** Columns of a list's table, by field; every other field is left to `show` and to `--json`. */
	readonly columns?: readonly string[];
	/** The same for lists inside a record, by the record's field. */
	readonly sections?: Readonly<Record<string, readonly string[]>>;
}

export interface Failing {
	/** The answer's field that counts what is wrong, which is so above 0; of a list `length`. */
	readonly field: string;
	/** 1 if not named. */
	readonly status?: number;
	/** One line on standard error. */
	readonly message: string;
}

/** As it is typed. */
export const wordsOf = ({ topic, verb }: Pick<Command, 'topic' | 'verb'>): string =>
	verb ? `${topic} ${verb}` : topic;

/** Below `/operator/v1/`. */
export const pathOf = ({ topic, verb }: Pick<Command, 'topic' | 'verb'>): string => (verb ? `${topic}/${verb}` : topic);

/** What is sent: a POST to the command's path below `/operator/v1/`. */
export type Input = Readonly<Record<string, unknown>>;

export const fieldOf = (flag: Flag): string => flag.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
