/** `/cabinet/codes`: reference codes: what each brought, new ones, and switching one off. */
import { Card, Fields, Send, State, UNFILLED } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { Table } from '../parts/table.tsx';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton, OwnForm, Said } from './frame.tsx';
import { codesOf, partnerOf } from './store.ts';
import { bps, usdOfCents } from './words.ts';

const PATH = '/cabinet/codes';
const MAX_TYPED = 200;
/** For the mark at the field; the endpoint judges. */
const CODE = /^[A-Za-z0-9_-]{4,32}$/;
const BPS = /^\d{1,4}$/;
const MOST_BPS = 2000;
const FULL = 'Not made: you have as many codes as you may have. Ask the operator for more.';
/** The contract's code where a limit is reached. */
const LIMIT_REACHED = 13;

interface Given {
	readonly code: string;
	readonly label: string;
	readonly afftaxBps: string;
}

const EMPTY: Given = { code: '', label: '', afftaxBps: '0' };

type Errors = Partial<Readonly<Record<keyof Given, string>>>;

/** Why no code was made, beside the typed values. */
interface Refused {
	readonly problem: string;
	readonly given?: Given;
	readonly errors?: Errors;
}

async function showCodes(c: CabinetContext, refused: Refused | null = null): Promise<Response> {
	const { problem = null, given = EMPTY, errors = {} } = refused ?? {};
	const { session } = c.var;
	const { db } = placesOf(c);
	const [partner, codes] = await Promise.all([partnerOf(db, session.partnerId), codesOf(db, session.partnerId)]);
	const heading = (
		<>
			<h1>Reference codes</h1>
			<p>
				A code tells your channels apart: call with <code>{`${partner.apiKey}.code`}</code>, and its orders are counted
				under it. You have {codes.length} of {partner.maxRefCodes}.
			</p>
		</>
	);
	return cabinetPage(
		c,
		{ title: 'Reference codes', heading, path: PATH, problem, refusal: 400 },
		<>
			<CodeTable codes={codes} fallback={partner.afftaxBps} />
			<Card title="New code">
				<OwnForm action={PATH}>
					<Fields fields={fieldsOf(bps(partner.afftaxBps))} values={{ ...given }} errors={errors} />
					<Send text="Create the code" />
				</OwnForm>
			</Card>
		</>,
	);
}

/** `margin`: the partner's own, which applies to a code without one. */
const fieldsOf = (margin: string) =>
	[
		{
			name: 'code',
			label: 'Code',
			hint: '4 to 32 letters, digits, _ or -',
			required: true,
			maxlength: 32,
			...UNFILLED,
		},
		{ name: 'label', label: 'Label', hint: 'For you; up to 64 characters', maxlength: 64, ...UNFILLED },
		{
			name: 'afftaxBps',
			label: 'Margin in basis points',
			hint: `0 to ${MOST_BPS}; 100 are 1\u00A0%. With 0 your own ${margin} applies.`,
			inputmode: 'numeric',
			required: true,
		},
	] as const;

interface CodeTableProps {
	readonly codes: Awaited<ReturnType<typeof codesOf>>;
	/** Basis points where a code has none. */
	readonly fallback: number;
}

const CodeTable = ({ codes, fallback }: CodeTableProps) => (
	<Table
		label="Reference codes"
		rows={codes}
		empty="No code yet. Orders without one count as your own."
		columns={[
			{
				head: 'Code',
				cell: ({ code: { code } }) => <a href={`/cabinet/orders?code=${encodeURIComponent(code)}`}>{code}</a>,
			},
			{ head: 'Label', cell: ({ code: { label } }) => label && <Said text={label} /> },
			{
				head: 'State',
				cell: ({ code: { enabled } }) =>
					enabled ? <State tone="good" word="On" /> : <State tone="plain" word="Off" />,
			},
			{ head: 'Margin', is: 'number', cell: ({ code }) => bps(code.afftaxBps || fallback) },
			{ head: 'Orders', is: 'number', cell: ({ totals }) => grouped(String(totals?.orders ?? 0)) },
			{ head: 'Paid', is: 'number', cell: ({ totals }) => grouped(String(totals?.ordersDone ?? 0)) },
			{ head: 'Volume', is: 'number', cell: ({ totals }) => usdOfCents(totals?.volumeUsdCents ?? 0) },
			{ head: 'Earned', is: 'number', cell: ({ totals }) => usdOfCents(totals?.earnedUsdCents ?? 0) },
			{
				head: 'Switch',
				cell: ({ code: { code, enabled } }) => (
					<OwnButton
						action={`${PATH}/${enabled ? 'disable' : 'enable'}`}
						fields={{ code }}
						of={code}
						text={enabled ? 'Switch off' : 'Switch on'}
					/>
				),
			},
		]}
	/>
);

async function make(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const textIn = (name: keyof Given) => String(form[name] ?? '').slice(0, MAX_TYPED);
	const given: Given = { code: textIn('code'), label: textIn('label'), afftaxBps: textIn('afftaxBps').trim() };
	const errors = errorsIn(given);
	const refused = (found: Errors) =>
		showCodes(c, { problem: 'Not created: see the marked field.', given, errors: found });
	if (Object.keys(errors).length > 0) return refused(errors);
	const input = { ...given, afftaxBps: Number(given.afftaxBps) };
	const answer = await c.env.desk.callAs(c.var.session.partnerId, '/api/v1/codes', input, 'POST');
	if (answer.code === 0) return c.redirect(PATH, 303);
	if (answer.code === LIMIT_REACHED) return showCodes(c, { problem: FULL, given });
	return refused({ code: 'You have this code already, or its label cannot be stored.' });
}

function errorsIn({ code, afftaxBps }: Given): Errors {
	const isMargin = BPS.test(afftaxBps) && Number(afftaxBps) <= MOST_BPS;
	return {
		...(!CODE.test(code) && { code: 'A code has 4 to 32 letters, digits, _ or -.' }),
		...(!isMargin && { afftaxBps: `A margin is a whole number from 0 to ${MOST_BPS}.` }),
	};
}

function mountSwitch(app: CabinetApp, action: string, method: string, path: string): void {
	app.post(`${PATH}/${action}`, async (c) => {
		const { code } = await c.req.parseBody();
		const answer = await c.env.desk.callAs(c.var.session.partnerId, path, { code }, method);
		return answer.code === 0 ? c.redirect(PATH, 303) : showCodes(c, { problem: 'You have no such code.' });
	});
}

export function mountCodes(app: CabinetApp): void {
	app.get(PATH, (c) => showCodes(c));
	app.post(PATH, make);
	mountSwitch(app, 'disable', 'DELETE', '/api/v1/codes');
	mountSwitch(app, 'enable', 'POST', '/api/v1/codes/enable');
}
