/**
 * `/cabinet/appearance`: logo, colour and terms of the order pages, and the widget. A change is previewed first: the logo is
 * drawn again then, and what is saved is what was seen. The passkey confirms the second form alone.
 */
import { COLOUR } from '../../partners/partner.ts';
import type { OwnChange } from '../../ports/desk.ts';
import { accentOf } from '../brand/accent.ts';
import { Card, Field, Fields, Note, Send, UNFILLED } from '../parts/parts.tsx';
import { Embed, Preview } from './appearance-preview.tsx';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton, OwnForm } from './frame.tsx';
import { partnerOf } from './store.ts';

export const APPEARANCE = '/cabinet/appearance';
export const APPEARANCE_LOOK = `${APPEARANCE}/look`;
const MAX_TYPED = 300;
/** As where nothing is set. */
const USUAL_USD = 5_000;
const WHOLE = /^\d{1,7}$/;

type Partner = Awaited<ReturnType<typeof partnerOf>>;

/** The settings of this page, as its forms carry them: an empty text is none. */
type Typed = Readonly<Record<'accent' | 'terms' | 'logo' | 'widgetBps' | 'widgetUsd', string>>;

const typedOf = ({ accent, terms, logo, widgetBps = null, widgetUsd = USUAL_USD }: Partner['orderPage']): Typed => ({
	accent: accent ?? '',
	terms: terms ?? '',
	logo: logo ?? '',
	widgetBps: widgetBps === null ? '' : String(widgetBps),
	widgetUsd: String(widgetUsd),
});

interface Shown {
	readonly problem?: string;
	/** Typed and not saved yet. */
	readonly typed?: Typed;
}

async function show(c: CabinetContext, { problem, typed }: Shown = {}): Promise<Response> {
	const { session, site } = c.var;
	const { orderPage: settings } = await partnerOf(placesOf(c).db, session.partnerId);
	const held = typedOf(settings);
	const shown = typed ?? held;
	const isNew = typed !== undefined && problem === undefined;
	const { name = null, frameOrigins = [], widgetBps = null } = settings;
	const logo = shown.logo || null;
	const image = logo === null ? null : await c.env.desk.logo(logo, session.partnerId);
	const look = { logo: image && logo, image, accent: COLOUR.test(shown.accent) ? shown.accent : null };
	return cabinetPage(
		c,
		{ title: 'Appearance', path: APPEARANCE, width: 'text', scripts: ['passkey.js'], problem, refusal: 400 },
		<>
			{c.req.query('done') === 'saved' && !typed && <Note tone="good">Saved.</Note>}
			<Card title={isNew ? 'What payers will see' : 'What payers see'}>
				<Preview name={name} {...look} />
				<Shades accent={shown.accent} />
				{isNew && (
					<OwnButton main action={APPEARANCE} confirms="settings" fields={shown} text="Save with your passkey" />
				)}
			</Card>
			<Card title="Order pages and widget">
				<LookForm typed={shown} />
			</Card>
			{widgetBps !== null && <Embed origin={site.origin} partnerId={session.partnerId} frames={frameOrigins} />}
		</>,
	);
}

/** The shades of a colour that text may have, where they are not the colour itself. */
function Shades({ accent }: Pick<Typed, 'accent'>) {
	if (!COLOUR.test(accent)) return null;
	const { light, dark } = accentOf(accent);
	return (
		<p class="small soft">
			{light === accent && dark === accent
				? 'The colour is readable as it is.'
				: `So that everybody can read it, your colour is ${light} on light pages and ${dark} on dark ones.`}
		</p>
	);
}

const WIDGET_BPS = 'Margin on orders of your widget, basis points';
const WIDGET_USD = 'Most that its unpaid orders may be worth together, US dollars';
const WIDGET_USD_HINT = 'Anybody may order with a widget: this is what they can take of your share';
const FIELDS = [
	{ name: 'accent', label: 'Colour of links and buttons', hint: 'As #0a54c2; empty: ours', maxlength: 7, ...UNFILLED },
	{ name: 'terms', label: 'Your terms', hint: 'An https address', inputmode: 'url', maxlength: 200 },
	{ name: 'widgetBps', label: WIDGET_BPS, hint: '100 are 1 %; empty: you have no widget', inputmode: 'numeric' },
	{ name: 'widgetUsd', label: WIDGET_USD, hint: WIDGET_USD_HINT, inputmode: 'numeric', required: true },
] as const;

const LookForm = ({ typed }: { readonly typed: Typed }) => (
	<OwnForm action={APPEARANCE_LOOK} files>
		<p class="small soft">
			Your name, your links and the sites that may frame your pages are <a href="/cabinet/settings">settings</a>.
		</p>
		<Field name="file" label="Logo" type="file" hint="PNG, at most 256 KiB; it is shown on white, up to 240 × 80" />
		<input type="hidden" name="logo" value={typed.logo} />
		{typed.logo && (
			<label class="check">
				<input type="checkbox" name="removes" value="logo" />
				No logo
			</label>
		)}
		<Fields fields={FIELDS} values={typed} />
		<Send text="Preview" />
	</OwnForm>
);

/** A logo that was sent takes the place of the one before. */
async function preview(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const typed = typedIn(form);
	const { file } = form;
	const sent = file instanceof File && file.size > 0 ? new Uint8Array(await file.arrayBuffer()) : null;
	const taken = sent && (await c.env.desk.takeLogo(c.var.session.partnerId, sent));
	if (taken && 'problem' in taken) return show(c, { typed, problem: `The logo was not taken: ${taken.problem}.` });
	const logo = taken?.name ?? (form['removes'] === 'logo' ? '' : typed.logo);
	const asked = { ...typed, logo };
	const problem = problemIn(asked);
	return show(c, { typed: asked, ...(problem !== null && { problem }) });
}

function typedIn(form: Readonly<Record<string, unknown>>): Typed {
	const text = (name: keyof Typed) => (typeof form[name] === 'string' ? form[name].trim().slice(0, MAX_TYPED) : '');
	return {
		accent: text('accent').toLowerCase(),
		terms: text('terms'),
		logo: text('logo'),
		widgetBps: text('widgetBps'),
		widgetUsd: text('widgetUsd'),
	};
}

/** The mistake in what is no number, or no colour. The desk checks the rest. */
function problemIn({ accent, widgetBps, widgetUsd }: Typed): string | null {
	if (accent !== '' && !COLOUR.test(accent)) return 'Write the colour as #0a54c2: a # and six of 0 to 9 and a to f.';
	const areWhole = (widgetBps === '' || WHOLE.test(widgetBps)) && WHOLE.test(widgetUsd);
	return areWhole ? null : 'Write the margin and the worth as whole numbers.';
}

async function save(c: CabinetContext): Promise<Response> {
	const typed = typedIn(await c.req.parseBody());
	const problem = problemIn(typed);
	if (problem !== null) return show(c, { typed, problem });
	if (!(await isConfirmed(c, 'settings'))) return show(c, { typed, problem: NOT_CONFIRMED });
	const changed = await c.env.desk.changeOwn(c.var.session.partnerId, changeOf(typed));
	return changed.ok
		? c.redirect(`${APPEARANCE}?done=saved`, 303)
		: show(c, { typed, problem: `Not changed: ${changed.error}.` });
}

const changeOf = ({ accent, terms, logo, widgetBps, widgetUsd }: Typed): OwnChange => ({
	orderPageAccent: accent || null,
	orderPageTerms: terms || null,
	orderPageLogo: logo || null,
	widgetBps: widgetBps === '' ? null : Number(widgetBps),
	widgetUsd: Number(widgetUsd),
});

export function mountAppearance(app: CabinetApp): void {
	app.get(APPEARANCE, (c) => show(c));
	app.post(APPEARANCE_LOOK, preview);
	app.post(APPEARANCE, save);
}
