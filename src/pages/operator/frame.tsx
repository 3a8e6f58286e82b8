/** The frame of the console: its navigation, and who is signed in. */
import type { JSX } from 'hono/jsx/jsx-runtime';
import type { Operator } from '../../ports/desk.ts';
import { Inside, type InsidePage } from '../parts/inside.tsx';
import type { PageLink } from '../parts/layout.tsx';
import { render } from '../render.ts';
import { InRole } from './may.tsx';

const LINKS: readonly PageLink[] = [
	{ path: '/operator', text: 'Attention' },
	{ path: '/operator/networks', text: 'Networks' },
	{ path: '/operator/prices', text: 'Prices' },
	{ path: '/operator/orders', text: 'Orders' },
	{ path: '/operator/transactions', text: 'Transactions' },
	{ path: '/operator/partners', text: 'Partners' },
	{ path: '/operator/settings', text: 'Settings' },
	{ path: '/operator/ledger', text: 'Ledger' },
	{ path: '/operator/reports', text: 'Reports' },
	{ path: '/operator/audit', text: 'Audit' },
	{ path: '/operator/command', text: 'Commands' },
];

interface Props extends InsidePage {
	readonly operator: Operator;
}

export const ConsoleFrame = ({ operator: { by, role, canSignOut, formKey }, ...page }: Props) => (
	<InRole role={role}>
		<Inside
			{...page}
			links={LINKS}
			out={canSignOut ? { action: '/operator/sign-out', field: '_key', value: formKey } : `${by}, ${role}`}
		/>
	</InRole>
);

interface Options {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page of the console as the answer: never kept, never framed. Browsers say the origin of a form only where the policy
 * lets them.
 */
export const consolePage = (page: JSX.Element | Promise<JSX.Element>, { status = 200, headers = {} }: Options = {}) =>
	render(page, { status, headers: { 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY', ...headers } });
