/**
 * The completion scripts of bash and zsh, made from the table of commands: topics, verbs, options and choices. They ask no
 * service. zsh runs the one of bash through its own `bashcompinit`. Libraries ask the program at each press of the key.
 * Pure.
 */
import { FORMATS, optionName } from '../reading/values.ts';
import type { Argument, Option, Topic } from '../topic.ts';
import { TOPICS } from '../topics/table.ts';

export const SHELLS = ['bash', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

/** Options of every command. */
const GLOBAL = ['--json', '--format', '--wide', '--watch', '--help'];

export const completionScript = (shell: Shell): string => `${HEADS[shell]}${BODY}${TAILS[shell]}\n`;

const HEADS: Readonly<Record<Shell, string>> = {
	bash: '# Put this into ~/.bashrc: eval "$(npx exchange completion bash)"\n',
	zsh: '# Put this into ~/.zshrc, below compinit: eval "$(npx exchange completion zsh)"\nautoload -Uz bashcompinit && bashcompinit\n',
};

/** A completion that npx has already stays. */
const TAILS: Readonly<Record<Shell, string>> = {
	bash: 'complete -p npx >/dev/null 2>&1 || complete -o default -F _exchange npx',
	zsh: `[ -n "\${_comps[npx]-}" ] || complete -F _exchange npx`,
};

const topics = Object.entries<Topic>(TOPICS);

/** `order list` with what may follow; a topic that is a command by itself has no verb. */
const commands = topics.flatMap(([name, { commands: verbs }]) =>
	Object.entries(verbs).map(([verb, declaration]) => ({ words: `${name} ${verb}`.trim(), declaration })),
);

const verbsOf = ({ commands: verbs }: Topic): string => Object.keys(verbs).filter(Boolean).join(' ');

const flagsOf = (field: string, { short }: Option): string[] => [
	...(short ? [`-${short}`] : []),
	`--${optionName(field)}`,
];

function choicesOf({ kind, choices, clearable }: Option): string {
	if (kind === 'boolean') return 'on off';
	return [...(choices ?? []), ...(clearable ? ['none'] : [])].join(' ');
}

const optionsOf = ({ declaration: { options } }: (typeof commands)[number], isPresent: boolean) =>
	Object.entries(options).filter(([, { kind }]) => (kind === 'present') === isPresent);

/** The words that may follow, by what stands before; without choices there is nothing to complete. */
const BRANCHES = [
	...topics.map(([name, topic]) => [name, verbsOf(topic)]),
	['completion', SHELLS.join(' ')],
	...commands.flatMap((command) => {
		const { words, declaration } = command;
		const flags = Object.entries(declaration.options).flatMap(([field, option]) => flagsOf(field, option));
		const values = optionsOf(command, false).flatMap(([field, option]) =>
			flagsOf(field, option).map((flag) => [`${words} ${flag}`, choicesOf(option)]),
		);
		const positional = Object.values<Argument>(declaration.arguments).map(({ choices = [] }, i) => [
			`${words} ${i}`,
			choices.join(' '),
		]);
		return [[`${words} -`, flags.join(' ')], ...values, ...positional];
	}),
].flatMap(([before, choices]) => (choices ? [`\t"${before}") choices="${choices}" ;;`] : []));

/** Options without a value: the word after them is one of its own. */
const PRESENT = new Set(
	commands.flatMap((command) => optionsOf(command, true).map(([field]) => `--${optionName(field)}`)),
);

const TOPIC_WORDS = [...topics.map(([name]) => name), 'completion', 'help'].join(' ');

/** Bash 3.2 and zsh understand it. Words before the last one that are no options are topic, verb and arguments. */
const BODY = `_exchange() {
	local cur prev choices="" topic="" verb="" value="" before="" count=0 i=1 word
	cur="\${COMP_WORDS[COMP_CWORD]}"
	prev="\${COMP_WORDS[COMP_CWORD-1]}"
	COMPREPLY=()
	if [ "\${COMP_WORDS[0]}" = npx ]; then
		if [ "$COMP_CWORD" -lt 2 ] || [ "\${COMP_WORDS[1]}" != exchange ]; then return; fi
		i=2
	fi
	while [ "$i" -lt "$COMP_CWORD" ]; do
		word="\${COMP_WORDS[i]}"
		i=$((i + 1))
		if [ -n "$value" ]; then value=""; continue; fi
		case "$word" in
		${['--json', '--wide', '--watch', '--help', '-h', ...PRESENT].join(' | ')}) ;;
		--format) value=1 ;;
		-*) if [ -n "$topic" ]; then value=1; fi ;;
		*)
			if [ -z "$topic" ]; then topic="$word"
			elif [ -z "$verb" ]; then
				case "$topic" in
				${topics
					.filter(([, topic]) => verbsOf(topic) === '')
					.map(([name]) => name)
					.join(' | ')}) count=$((count + 1)) ;;
				*) verb="$word" ;;
				esac
			else count=$((count + 1)); fi
			;;
		esac
	done
	local key="$topic\${verb:+ $verb}"
	case "$prev" in
	--format) COMPREPLY=($(compgen -W "${FORMATS.join(' ')}" -- "$cur")); return ;;
	esac
	case "$cur" in
	-*) before="$key -" ;;
	*) if [ -n "$verb" ]; then before="$key $count"; else before="$topic"; fi ;;
	esac
	if [ -n "$value" ]; then before="$key $prev"; fi
	case "$before" in
${BRANCHES.join('\n')}
	esac
	if [ -n "$value" ]; then :
	elif [ -z "$topic" ]; then choices="${TOPIC_WORDS} ${GLOBAL.join(' ')}"
	else
		case "$cur" in
		-*) choices="$choices ${GLOBAL.join(' ')}" ;;
		esac
	fi
	COMPREPLY=($(compgen -W "$choices" -- "$cur"))
}
complete -F _exchange exchange
`;
