/** Shared by all pages of the cabinet: the frame with its links, forms with their token, texts of people. */
import type { Child } from 'hono/jsx';
import { Inside, type InsidePage } from '../parts/inside.tsx';
import type { PageLink } from '../parts/layout.tsx';
import type { Session } from './env.ts';
import { seen } from './people-text.ts';
import { mayDo } from './roles.ts';

/** The orders that wait for the partner's decision. */
export const WAITING = '/cabinet/orders?status=EMERGENCY';

const linksOf = ({ waiting }: Session): readonly PageLink[] => [
	{ path: '/cabinet', text: 'Overview' },
	...(waiting > 0 ? [{ path: WAITING, text: `To decide: ${waiting}` }] : []),
	{ path: '/cabinet/orders', text: 'Orders' },
	{ path: '/cabinet/earnings', text: 'Earnings' },
	{ path: '/cabinet/codes', text: 'Codes' },
	{ path: '/cabinet/webhooks', text: 'Webhooks' },
	{ path: '/cabinet/credentials', text: 'Credentials' },
	{ path: '/cabinet/keys', text: 'Keys' },
	{ path: '/cabinet/settings', text: 'Settings' },
	{ path: '/cabinet/appearance', text: 'Appearance' },
	{ path: '/cabinet/limits', text: 'Limits' },
	{ path: '/cabinet/team', text: 'Team' },
	{ path: '/cabinet/access', text: 'Access' },
	{ path: '/cabinet/log', text: 'Log' },
];

interface FrameProps extends InsidePage {
	readonly session: Session;
}

export const Cabinet = ({ session, children, ...page }: FrameProps) => (
	<Inside
		{...page}
		links={linksOf(session)}
		out={{ action: '/cabinet/sign-out', field: 'form', value: session.formToken }}
	>
		<p class="soft small">
			Partner <Said text={session.partnerName} /> · <Said text={session.member} />
		</p>
		{children}
	</Inside>
);

/** Somebody's text: it keeps to itself whatever direction it runs in. */
export const Said = ({ text }: { readonly text: string }) => <bdi>{seen(text)}</bdi>;

interface FormProps {
	readonly session: Session;
	readonly action: string;
	/** The passkey's ceremony before the form, as `passkey.js` reads it. */
	readonly ceremony?: string;
	readonly class?: string;
	/** It sends files. */
	readonly files?: boolean;
	readonly children: Child;
}

/** A change. With a ceremony it needs JavaScript, and says so. Who may not do it is shown that instead. */
export const OwnForm = ({ session, action, ceremony, files, children, ...rest }: FormProps) =>
	mayDo(session.role, action) ? (
		<form
			method="post"
			action={action}
			enctype={files ? 'multipart/form-data' : undefined}
			data-ceremony={ceremony}
			{...rest}
		>
			<input type="hidden" name="form" value={session.formToken} />
			{children}
			{ceremony && <Ceremony />}
		</form>
	) : (
		<p class="soft small">Your role may not change this.</p>
	);

export const Ceremony = () => (
	<>
		<input type="hidden" name="answer" value="" />
		<p data-said role="status" class="small" />
		<noscript>
			<p class="small">This needs your passkey, and passkeys need JavaScript. Switch it on for this site.</p>
		</noscript>
	</>
);

/** The steps of a form that is confirmed by a passkey. */
export const CONFIRMED = 'get:/cabinet/confirm/options';
