/**
 * The declaration of an operator command: its words, help, input, and how its answer is printed. The command line
 * parses and prints with it, and the API checks the input with it. What a command does is its run in `commands/`. Pure.
 */
import * as z from 'zod/mini';

/**
 * The thing that a text names. For the id of an order, transaction, webhook or partner the first characters do, and for
 * a partner also the name; `names.ts` finds the id. `payment`: a transaction or an order. `subject`: whatever a line of
 * the audit log is about.
 */
export type Named = 'order' | 'transaction' | 'payment' | 'webhook' | 'partner' | 'subject';

/** One positional word of the command line; the key in `arguments` is the input's field. */
export interface Argument {
	/** As the help shows it: `ID`. */
	readonly name: string;
	/** Takes one or more values, so the field is an array. Only the last argument can do this. */
	readonly many?: true;
	readonly optional?: true;
	readonly names?: Named;
	readonly choices?: readonly string[];
	readonly help: string;
}

/** One `--option`; the key in `options` is the input's field, and in kebab case the option's name. */
export interface Option extends Pick<Argument, 'names' | 'choices' | 'help'> {
	/** `present` takes no value; `list` takes several, separated by commas; `boolean` is written as `on|off`. */
	readonly kind: 'text' | 'integer' | 'boolean' | 'list' | 'present';
	/** One letter: `n` for `-n`. */
	readonly short?: string;
	/** The word for the value in the help, where the kind does not say enough. */
	readonly value?: string;
	readonly required?: true;
	/** The word `none` clears the field: null is sent. */
	readonly clearable?: true;
}

/** When a command's answer makes the exit status other than 0. */
export interface ExitRule {
	/** The answer's field that counts what is wrong; for a list it is `length`. Any value but 0 counts. */
	readonly field: string;
	/** Exit status, 1 where none is named. */
	readonly status?: number;
	/** One line on standard error. */
	readonly message: string;
}

/** A column of a table: a field, or several fields as one text. */
export type Column = string | { readonly title: string; readonly fields: readonly string[] };

export interface Declaration<Schema extends z.ZodMiniType<object> = z.ZodMiniType<object>> {
	/** One line. */
	readonly summary: string;
	readonly details?: string;
	/** The text on the console's button; without it the command's words. */
	readonly button?: string;
	/** Its effect cannot be taken back. */
	readonly irreversible?: true;
	/** The console's page of one row of its answer: the folder below `/operator`. */
	readonly rowPage?: 'orders' | 'partners' | 'transactions' | 'networks';
	/** It changes nothing, so `--watch` may repeat it. */
	readonly reads?: true;
	/** Its answers are pages that end with a cursor; the command line goes through all of them (`reading/pages.ts`). */
	readonly paged?: 'list' | 'report';
	readonly input: Schema;
	readonly arguments: Readonly<Record<string, Argument>>;
	readonly options: Readonly<Record<string, Option>>;
	/** Without at least one option the command has nothing to do. */
	readonly needsOption?: true;
	/** The first rule that matches decides. */
	readonly exitRules?: readonly ExitRule[];
	/** Printed under the answer, for people only. */
	readonly afterwards?: string;
	/** Columns of a list's table. `--json` and `--format csv` have all fields. */
	readonly columns?: readonly Column[];
	/** Further columns of `--wide`. */
	readonly wide?: readonly Column[];
	/** The text of a list without rows. */
	readonly empty?: string;
	/** The same for lists inside a record, by the record's field. */
	readonly sections?: Readonly<Record<string, readonly string[]>>;
}

/** The commands of one topic by their second word; `''` where the topic alone is the command. */
export interface Topic {
	/** One line for the overview. */
	readonly about: string;
	readonly commands: Readonly<Record<string, Declaration>>;
}

type Fields<Kind> = Readonly<Record<string, Kind & { readonly schema: z.ZodMiniType }>>;
type NoFields = Record<never, never>;
/** The schema of the input: each field has its own. */
type InputOf<All extends Fields<unknown>> = z.ZodMiniObject<{ -readonly [Name in keyof All]: All[Name]['schema'] }>;

interface Declared<Positional, Options, Input> extends Omit<Declaration, 'input' | 'arguments' | 'options'> {
	readonly arguments?: Positional;
	readonly options?: Options;
	/** A rule over several fields, and the message where it is broken. */
	readonly together?: { readonly holds: (input: Input) => boolean; readonly rule: string };
}

/** The message of a change that changes nothing. */
export const NOTHING_TO_CHANGE = 'nothing to change: name at least one field';

/** Declares a command. Each field of its input is said once: how it is typed, and by its schema what it may be. */
export function declare<Positional extends Fields<Argument> = NoFields, Options extends Fields<Option> = NoFields>({
	arguments: positional,
	options,
	together,
	...words
}: Declared<Positional, Options, z.output<InputOf<Positional & Options>>>): Declaration<InputOf<Positional & Options>> {
	const fields = { ...positional, ...options } as Positional & Options;
	const shape = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
	const input = z.strictObject(shape) as unknown as InputOf<Positional & Options>;
	const hasOption = (given: unknown) => Object.keys(Object(given)).some((name) => options && name in options);
	const checked = input.check(
		...(together ? [z.refine(together.holds as (given: unknown) => boolean, together.rule)] : []),
		...(words.needsOption ? [z.refine(hasOption, NOTHING_TO_CHANGE)] : []),
	);
	return { ...words, arguments: positional ?? {}, options: options ?? {}, input: checked };
}

export const topicOf = <Commands extends Topic['commands']>(about: string, commands: Commands) => ({ about, commands });

/** As it is typed: `order list`. */
export const wordsOf = (topic: string, verb: string): string => (verb ? `${topic} ${verb}` : topic);

/** Below `/operator/v1/`: `order/list`. */
export const pathOf = (topic: string, verb: string): string => (verb ? `${topic}/${verb}` : topic);
