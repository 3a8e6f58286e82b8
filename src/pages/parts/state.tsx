/** A state: never colour alone, but a word, an icon and a colour. */
export type Tone = 'plain' | 'busy' | 'good' | 'warn' | 'bad';

/** A clock, a half circle, a tick, a triangle, a cross. */
const ICONS: Readonly<Record<Tone, string>> = {
	plain: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M8 4.5V8l2.5 1.5',
	busy: 'M8 1.5a6.5 6.5 0 0 1 6.5 6.5M1.5 8A6.5 6.5 0 0 0 8 14.5',
	good: 'M2.5 8.5l3.5 3.5 7.5-8',
	warn: 'M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.6v.2',
	bad: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
};

export const Icon = ({ tone }: { readonly tone: Tone }) => (
	<svg
		viewBox="0 0 16 16"
		aria-hidden="true"
		fill="none"
		stroke="currentColor"
		stroke-width="1.8"
		stroke-linecap="round"
		stroke-linejoin="round"
	>
		<path d={ICONS[tone]} />
	</svg>
);

export const State = ({ tone, word }: { readonly tone: Tone; readonly word: string }) => (
	<span class={`state ${tone}`}>
		<Icon tone={tone} />
		{word}
	</span>
);
