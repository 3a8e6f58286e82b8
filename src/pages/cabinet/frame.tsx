/** Shared by all pages of the cabinet: the frame with its links, forms with their token, texts of people. */
import { type Child, createContext, useContext } from 'hono/jsx';
import { Inside, type InsidePage } from '../parts/inside.tsx';
import type { PageLink } from '../parts/layout.tsx';
import { Problem, Send } from '../parts/parts.tsx';
import { render } from '../render.ts';
import type { Confirmed } from './challenges.ts';
import type { CabinetContext, Session } from './env.ts';
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

/** A page is drawn in one go (`htmlOf`), so its parts never see the session of another request. */
const Here = createContext<Session | null>(null);

/** Whose page it is. @throws outside of `cabinetPage` */
export function useSession(): Session {
	const session = useContext(Here);
	if (!session) throw new TypeError('this part is drawn outside of the cabinet');
	return session;
}

interface Page extends Omit<InsidePage, 'children'> {
	/** Where it says more than the title. */
	readonly heading?: Child;
	/** Why nothing was done; then the answer's status is `refusal`. */
	readonly problem?: string | null | undefined;
	readonly refusal?: 400 | 403;
	readonly headers?: Readonly<Record<string, string>>;
}

/** A page of the cabinet as the answer. */
export function cabinetPage(
	{ var: { session } }: CabinetContext,
	{ heading, problem = null, refusal = 403, headers = {}, ...page }: Page,
	children: Child,
): Promise<Response> {
	const out = { action: '/cabinet/sign-out', field: 'form', value: session.formToken };
	return render(
		<Here.Provider value={session}>
			<Inside {...page} links={linksOf(session)} out={out}>
				<p class="soft small">
					Partner <Said text={session.partnerName} /> · <Said text={session.member} />
				</p>
				{heading ?? <h1>{page.title}</h1>}
				<Problem text={problem} />
				{children}
			</Inside>
		</Here.Provider>,
		{ status: problem === null ? 200 : refusal, headers },
	);
}

/** Somebody's text: it keeps to itself whatever direction it runs in. */
export const Said = ({ text }: { readonly text: string }) => <bdi>{seen(text)}</bdi>;

interface FormProps {
	readonly action: string;
	/** A passkey confirms it before it is sent. */
	readonly confirms?: Confirmed;
	/** Where the browser asks then how to make a new passkey. */
	readonly creates?: string;
	/** Hidden ones. */
	readonly fields?: Readonly<Record<string, string>>;
	/** It sends files. */
	readonly files?: boolean;
	readonly children: Child;
}

/** A change. With a passkey it needs JavaScript, and says so. Who may not do it is shown that instead. */
export function OwnForm({ action, confirms, creates, fields = {}, files, children }: FormProps) {
	const session = useSession();
	if (!mayDo(session.role, action)) return <p class="soft small">Your role may not change this.</p>;
	const steps = confirms && `get:/cabinet/confirm/options${creates ? ` create:${creates}` : ''}`;
	const hidden = { form: session.formToken, ...(confirms && { confirms }), ...fields };
	return (
		<form method="post" action={action} enctype={files ? 'multipart/form-data' : undefined} data-ceremony={steps}>
			{Object.entries(hidden).map(([name, value]) => (
				<input type="hidden" name={name} value={value} />
			))}
			{children}
			{confirms && <Ceremony />}
		</form>
	);
}

interface ButtonProps extends Omit<FormProps, 'children'> {
	readonly text: string;
	/** Its subject, for who does not see that beside it. */
	readonly of?: string;
	readonly main?: boolean;
}

/** A form of one button. Until the script is there, one that a passkey confirms does nothing. */
export const OwnButton = ({ text, of, main = false, ...form }: ButtonProps) => (
	<OwnForm {...form}>
		<Send
			class={main ? undefined : 'plain'}
			disabled={form.confirms !== undefined}
			aria-label={of === undefined ? undefined : `${text} ${seen(of)}`}
			text={text}
		/>
	</OwnForm>
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
