/** The frame of every page behind a sign-in, the cabinet's and the console's: its links, and the way out at the end. */
import type { Child } from 'hono/jsx';
import type { ScriptName } from '../assets.ts';
import { Layout, type PageLink } from './layout.tsx';

/** The form that ends the session, with the field that shows that a page of ours sent it. */
interface SignOut {
	readonly action: string;
	readonly field: string;
	readonly value: string;
}

/** The parts of a page of either. */
export interface InsidePage {
	readonly title: string;
	/** The path of the link that is marked. */
	readonly path: string;
	readonly width?: 'narrow' | 'text' | 'wide';
	readonly scripts?: readonly ScriptName[];
	readonly children: Child;
}

interface Props extends InsidePage {
	readonly links: readonly PageLink[];
	/** Text instead, where the session ends elsewhere. */
	readonly out: SignOut | string;
}

export const Inside = ({ out, scripts = [], ...page }: Props) => (
	<Layout
		{...page}
		scripts={['nav.js', ...scripts]}
		aside={typeof out === 'string' ? <span class="small soft">{out}</span> : <Out {...out} />}
	/>
);

const Out = ({ action, field, value }: SignOut) => (
	<form method="post" action={action}>
		<input type="hidden" name={field} value={value} />
		<button type="submit" class="link">
			Sign out
		</button>
	</form>
);
