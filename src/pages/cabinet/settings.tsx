/** `/cabinet/settings`: what a partner sets for themselves: the pages of their orders, their margin, how they are paid. */
import type { Child } from 'hono/jsx';
import { site } from '../../catalog/table.ts';
import { LANGUAGES, type Language } from '../../partners/languages.ts';
import { AUTO_PAYOUTS, type AutoPayout } from '../../partners/partner.ts';
import type { OwnChange } from '../../ports/desk.ts';
import { Card, Field, Fields, Note, Send } from '../parts/parts.tsx';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnForm } from './frame.tsx';
import { partnerOf } from './store.ts';
import { bps } from './words.ts';

const PATH = '/cabinet/settings';
const MAX_TYPED = 3_000;
const WHOLE = /^\d{1,7}$/;
const NOT_WHOLE = 'Not changed: write the margin and the minimum as whole numbers.';

const OFTEN: Readonly<Record<AutoPayout, string>> = {
	none: 'Not by itself: the operator pays',
	daily: 'Every day',
	weekly: 'Every Monday',
	monthly: 'On the first of each month',
};
const DECIDES = { off: 'You alone', on: 'You, or the payer on the order’s page' } as const;
const IN_LANGUAGE = { '': 'The language of the payer’s browser', ...LANGUAGES };

type Partner = Awaited<ReturnType<typeof partnerOf>>;
type Bounds = typeof site.$inferSelect;
type Typed = Readonly<Record<string, string>>;

interface Values {
	readonly partner: Partner;
	readonly bounds: Bounds;
	/** Texts that were typed and not saved. */
	readonly typed: Typed;
}

async function showSettings(c: CabinetContext, problem: string | null = null, typed: Typed = {}): Promise<Response> {
	const { session } = c.var;
	const { db } = placesOf(c);
	const [partner, [bounds]] = await Promise.all([partnerOf(db, session.partnerId), db.select().from(site)]);
	if (!bounds) throw new Error('there are no settings of the service');
	const values = { partner, bounds, typed };
	return cabinetPage(
		c,
		{ title: 'Settings', path: PATH, width: 'text', scripts: ['passkey.js'], problem },
		<>
			{c.req.query('done') === 'saved' && !problem && <Note tone="good">Saved.</Note>}
			<Part title="Order pages">
				<PageFields {...values} />
			</Part>
			<Part title="Margin">
				<MarginFields {...values} />
			</Part>
			<Part title="Automatic payouts">
				<PayoutFields {...values} />
			</Part>
		</>,
	);
}

const Part = ({ title, children }: { readonly title: string; readonly children: Child }) => (
	<Card title={title}>
		<OwnForm action={PATH} confirms="settings">
			{children}
			<Send disabled text="Save with your passkey" />
		</OwnForm>
	</Card>
);

const PAGE_FIELDS = [
	{ name: 'orderPageName', label: 'Your name', hint: 'As payers see it', maxlength: 60 },
	{ name: 'orderPageSupport', label: 'Whom payers ask', hint: 'A mail address or an https address', maxlength: 200 },
	{
		name: 'orderPageReturn',
		label: 'Where another swap begins',
		hint: 'An https address; finished orders lead there',
		inputmode: 'url',
		maxlength: 200,
	},
	{
		name: 'orderPageFrames',
		label: 'Sites that may frame the pages',
		hint: 'As https://shop.example, with commas between; empty: none',
		maxlength: MAX_TYPED,
	},
	{ name: 'orderPageLanguage', label: 'Language', choices: IN_LANGUAGE },
	{ name: 'payerDecides', label: 'Who may exchange an order that waits for a decision', choices: DECIDES },
] as const;

function PageFields({ partner, typed }: Values) {
	const { frameOrigins = [], name, returnUrl, support, language, payerDecides } = partner.orderPage;
	const held: Typed = {
		orderPageName: name ?? '',
		orderPageSupport: support ?? '',
		orderPageReturn: returnUrl ?? '',
		orderPageFrames: frameOrigins.join(', '),
		orderPageLanguage: language ?? '',
		payerDecides: payerDecides ? 'on' : 'off',
	};
	return <Fields fields={PAGE_FIELDS} values={{ ...held, ...typed }} />;
}

const MarginFields = ({ partner, bounds, typed }: Values) => (
	<Field
		name="afftaxBps"
		label="Margin in basis points"
		hint={`Where a call or a code names none; 100 are 1\u00A0%. The operator allows up to ${bps(bounds.ownMarginBps)}.`}
		value={typed['afftaxBps'] ?? String(partner.afftaxBps)}
		inputmode="numeric"
		required
	/>
);

function PayoutFields({ partner, bounds, typed }: Values) {
	const { autoPayout, autoPayoutMinUsd } = partner;
	if (bounds.ownPayouts === 'none' && autoPayout === 'none')
		return <p>The operator pays you, and lets no partner change that here.</p>;
	const most = AUTO_PAYOUTS.indexOf(bounds.ownPayouts);
	const allowed = AUTO_PAYOUTS.filter(
		(one, i) => one === 'none' || one === autoPayout || (bounds.ownPayouts !== 'none' && i >= most),
	);
	return (
		<>
			<Field
				name="autoPayout"
				label="When you are paid"
				hint="Times are UTC. Nothing is paid to an address that changed in the last 24 hours."
				choices={Object.fromEntries(allowed.map((one) => [one, OFTEN[one]]))}
				value={typed['autoPayout'] ?? autoPayout}
			/>
			<Field
				name="autoPayoutMinUsd"
				label="Only what is worth at least, in US dollars"
				hint={`The operator allows ${bounds.ownPayoutMinUsd} or more.`}
				value={typed['autoPayoutMinUsd'] ?? String(Math.max(autoPayoutMinUsd, bounds.ownPayoutMinUsd))}
				inputmode="numeric"
				required
			/>
		</>
	);
}

/** How the text of a field becomes a part of the change. An empty text clears what was set. */
const READ: { readonly [Name in keyof OwnChange]?: (text: string) => OwnChange[Name] } = {
	orderPageName: textOrNull,
	orderPageSupport: textOrNull,
	orderPageReturn: textOrNull,
	orderPageFrames: (text) => text.split(/[\s,]+/).filter(Boolean),
	orderPageLanguage: (text) => (text === '' ? null : (text as Language)),
	payerDecides: (text) => text === 'on',
	afftaxBps: Number,
	autoPayout: (text) => text as AutoPayout,
	autoPayoutMinUsd: Number,
};

function textOrNull(text: string): string | null {
	return text === '' ? null : text;
}

async function save(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const names = Object.keys(READ).filter((name) => typeof form[name] === 'string');
	const typed = Object.fromEntries(names.map((name) => [name, String(form[name]).trim().slice(0, MAX_TYPED)]));
	const isWhole = [typed['afftaxBps'], typed['autoPayoutMinUsd']].every(
		(text) => text === undefined || WHOLE.test(text),
	);
	if (!isWhole) return showSettings(c, NOT_WHOLE, typed);
	if (!(await isConfirmed(c, 'settings'))) return showSettings(c, NOT_CONFIRMED, typed);
	const change = Object.fromEntries(
		Object.entries(typed).map(([name, text]) => [name, READ[name as keyof OwnChange]?.(text)]),
	);
	const changed = await c.env.desk.changeOwn(c.var.session.partnerId, change);
	return changed.ok ? c.redirect(`${PATH}?done=saved`, 303) : showSettings(c, `Not changed: ${changed.error}.`, typed);
}

export function mountSettings(app: CabinetApp): void {
	app.get(PATH, (c) => showSettings(c));
	app.post(PATH, save);
}
