/** The commands that a text names and a person may type as they stand, but for those that only read. */
import { parseCommandLine, type Request } from '../../src/operator/cli/parse.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

export interface Printed extends Pick<Request, 'path' | 'input'> {
	readonly line: string;
}

/** It stands for what the reader has to find out, or to decide. A reason they make up. */
const PLACEHOLDER = /^(ID|T|N|NAME|PARTNER|ADDRESS|AMOUNT)$|\|/;

/** Where a text says "with T for it", T is what an earlier command of the same text names. */
export function commandsIn(text: string): Printed[] {
	const [, named = 'T'] = /--tx-id (\S+)/.exec(text) ?? [];
	return [...text.matchAll(/`([a-z][^`]+)`/g)].flatMap(([, printed = '']) => {
		const line = printed.replace('--not T', `--not ${named}`);
		const words = line.split(' ');
		if (!Object.hasOwn(TOPICS, words[0] ?? '') || words.some((word) => PLACEHOLDER.test(word))) return [];
		const parsed = parseCommandLine(words);
		if (parsed.kind !== 'request' || parsed.declaration.reads) return [];
		return [{ line, path: parsed.path, input: parsed.input }];
	});
}

export interface Told {
	readonly attention: readonly { readonly todo: string; readonly cause: string }[];
	/** Of `restored show`. */
	readonly waiting: readonly { readonly do: string; readonly onChain: string }[];
}

/** Of all that an operator is told at once, each once. */
export function commandsOf({ attention, waiting }: Told): Printed[] {
	const printed = [
		...attention.flatMap(({ todo, cause }) => commandsIn(`${cause} ${todo}`)),
		...waiting.flatMap((row) => commandsIn(asItsOwn(row))),
	];
	return [...new Map(printed.map((each) => [each.line, each])).values()];
}

/** Where a person is to tell whose payment it was, it was this order's. A `do` with words has its commands in backticks. */
function asItsOwn({ do: told, onChain }: Told['waiting'][number]): string {
	const [, ifItWas] = /(`restored paid [^`]*`) if it was this order/.exec(told) ?? [];
	if (ifItWas) return ifItWas.replace('--tx-id T', `--tx-id ${onChain.split(',')[0]}`);
	return told.includes('`') ? told : `\`${told}\``;
}
