/** The frame of the console: its navigation, and who is signed in. */
import type { Child } from 'hono/jsx';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { Layout, type PageLink } from '../parts/layout.tsx';
import { render } from '../render.ts';
import type { Operator } from './operator.ts';

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

interface Props {
	readonly operator: Operator;
	readonly title: string;
	/** The link of the navigation that leads here. */
	readonly path: string;
	readonly width?: 'narrow' | 'text' | 'wide';
	readonly children: Child;
}

export const ConsoleFrame = ({ operator, title, path, width = 'wide', children }: Props) => (
	<Layout title={title} path={path} width={width} links={LINKS} aside={<SignedIn operator={operator} />}>
		{children}
	</Layout>
);

const SignedIn = ({ operator: { by, session, formKey } }: { readonly operator: Operator }) =>
	session === null ? (
		<span class="small soft">{by}</span>
	) : (
		<form method="post" action="/operator/sign-out">
			<input type="hidden" name="_key" value={formKey} />
			<button type="submit" class="link">
				Sign out
			</button>
		</form>
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
