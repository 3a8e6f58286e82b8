/** A value that people copy: shown whole, selected at one click, and with a button where there is JavaScript. */
import type { Child } from 'hono/jsx';
import { useSay } from './speech.tsx';

interface Props {
	/** The copied text, exactly. */
	readonly value: string;
	/** Its name: "Address". */
	readonly label: string;
	/** The words of the button for a screen reader: "Copy address". */
	readonly copyLabel?: string;
	/** Is the name shown above the value? It is not selected with it. */
	readonly named?: boolean;
	/** How it is shown, where that differs: an address in groups. */
	readonly children?: Child;
}

export const Copyable = ({ named = false, children, ...button }: Props) => (
	<div class="copy">
		<span data-name={named ? button.label : undefined}>
			<bdi dir="ltr">{children ?? button.value}</bdi>
		</span>
		<CopyButton {...button} />
	</div>
);

export const CopyButton = ({
	value,
	label,
	copyLabel = `Copy ${label.toLowerCase()}`,
}: Pick<Props, 'value' | 'label' | 'copyLabel'>) => (
	<button type="button" class="plain" data-copy={value} data-label={label} aria-label={copyLabel} hidden>
		<span data-said>{useSay()('copy.copy')}</span>
	</button>
);

const GROUP = 4;
/** The letters at each end by which people compare two addresses. */
const ENDS = 6;

/** In groups of four, the first and last six letters emphasised. Copying by hand takes no blanks: they are margins. */
export function Address({ value }: { readonly value: string }) {
	const groups = value.match(new RegExp(`.{1,${GROUP}}`, 'gsu')) ?? [];
	let start = 0;
	return (
		<bdi dir="ltr" class="address mono">
			{groups.map((group) => {
				const from = start;
				start += group.length;
				return <i>{emphasised(group, from, value.length)}</i>;
			})}
		</bdi>
	);
}

function emphasised(group: string, from: number, length: number) {
	return [...group].map((letter, i) => {
		const at = from + i;
		return at < ENDS || at >= length - ENDS ? <b>{letter}</b> : letter;
	});
}
