/** The commands that a sentence names in backticks, as links: `attention` says what to do with them. Pure. */
import { withLabels } from '../../operator/topics/labels.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import { addressOf, COMMANDS, type Command, type Query } from './commands.ts';

/** Its page may be another than the command's own. */
interface Named {
	readonly command: Command;
	readonly text: string;
	readonly address: string;
}

/** A text of the command line for people in a browser: commands are their buttons, options their labels. */
export const inWords = (text: string): string =>
	withLabels(
		text.replaceAll(/Exit status [^.]*\.\s?/g, '').replaceAll(/`([^`]+)`/g, (whole, words: string) => {
			const [action] = actionsIn(whole);
			return action ? `“${action.text}”` : words;
		}),
	).trim();

/** The text of a button. */
export const actionText = ({ declaration, words }: Command): string => declaration.button ?? sentenceCase(words);

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('-', ' ');

export function actionsIn(todo: string): Named[] {
	const found = [...todo.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => {
		const words = text.replace(/^(?:npx )?exchange /, '').split(' ');
		const command = commandIn(words);
		if (!command) return [];
		const query = queryIn(command, words.slice(command.verb ? 2 : 1));
		return [{ command, text: actionText(command), address: pageOf(command, query) }];
	});
	return [...new Map(found.map((action) => [action.address, action])).values()];
}

const commandIn = ([topic = '', verb = '']: readonly string[]): Command | undefined =>
	COMMANDS.find((one) => one.topic === topic && one.verb === verb) ??
	COMMANDS.find((one) => one.topic === topic && one.verb === '');

/** A word that stands for a value, `T` or `accept|hold`, is left out: the form asks for it. */
function queryIn({ declaration }: Command, words: readonly string[]): Query {
	const { arguments: positional, options } = declaration;
	const query: Record<string, string> = {};
	const rest = Object.entries(positional);
	for (let i = 0; i < words.length; i++) {
		const word = words[i] ?? '';
		if (word.startsWith('--')) {
			const field = word.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
			const option = options[field];
			if (!option) continue;
			const value = option.kind === 'present' ? 'on' : (words[++i] ?? '');
			if (value !== (option.value ?? 'T') && !value.includes('|')) query[field] = value;
			continue;
		}
		const [field, argument] = rest.shift() ?? [];
		if (field && argument && word !== argument.name && !word.includes('|')) query[field] = word;
	}
	return query;
}

/** Lists that have a page of their own. */
const LISTS: Readonly<Partial<Record<CommandPath, string>>> = {
	attention: '/operator',
	'network/list': '/operator/networks',
	'price/list': '/operator/prices',
	'audit/list': '/operator/audit',
	'site/show': '/operator/settings',
};

/** Some commands have a page of their own. */
function pageOf({ path }: Command, query: Query): string {
	if (path === 'order/show' && query['id']) return `/operator/orders/${encodeURIComponent(query['id'])}`;
	if (path === 'payout/show' && query['id']) return `/operator/transactions/${encodeURIComponent(query['id'])}`;
	const list = LISTS[path];
	if (list) return list;
	if (path === 'order/list') return `/operator/orders?${new URLSearchParams(query)}`;
	return addressOf(path, query);
}
