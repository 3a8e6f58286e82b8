/** `/cabinet/codes`: reference codes: what each brought, new ones, and switching one off. */
import type { Hono } from 'hono';
import { databaseOf } from '../../platform/d1/database.ts';
import { Card, Field, Problem, Send } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { render } from '../render.ts';
import type { CabinetContext, CabinetEnv } from './env.ts';
import { Cabinet, OwnForm, Said } from './frame.tsx';
import { codesOf, partnerOf } from './store.ts';
import { bps, usdOfCents } from './words.ts';

const PATH = '/cabinet/codes';
const BPS = /^\d{1,4}$/;
const REFUSED =
	'Not made: a code has 4 to 32 letters, digits, _ or -, is not one you have, and its margin is at most 2000.';
const FULL = 'Not made: you have as many codes as you may have. Ask the operator for more.';
/** The contract's code where a limit is reached. */
const LIMIT_REACHED = 13;

async function showCodes(c: CabinetContext, problem: string | null = null): Promise<Response> {
	const { session } = c.var;
	const db = databaseOf(c.env);
	const [partner, codes] = await Promise.all([partnerOf(db, session.partnerId), codesOf(db, session.partnerId)]);
	return render(
		<Cabinet session={session} title="Reference codes" path={PATH}>
			<h1>Reference codes</h1>
			<p>
				A code tells your channels apart: call with <code>{`${partner.apiKey}.code`}</code>, and its orders are counted
				under it. You have {codes.length} of {partner.maxRefCodes}.
			</p>
			<Problem text={problem} />
			<CodeTable session={session} codes={codes} fallback={partner.afftaxBps} />
			<Card title="New code">
				<OwnForm session={session} action={PATH}>
					<Field
						name="code"
						label="Code"
						hint="4 to 32 letters, digits, _ or -"
						required
						maxlength={32}
						autocomplete="off"
					/>
					<Field name="label" label="Label" hint="For you; up to 64 characters" maxlength={64} autocomplete="off" />
					<Field
						name="afftaxBps"
						label="Margin in basis points"
						hint={`0 to 2000; 100 are 1 %. With 0 your own ${bps(partner.afftaxBps)} applies.`}
						value="0"
						inputmode="numeric"
						required
					/>
					<Send text="Make the code" />
				</OwnForm>
			</Card>
		</Cabinet>,
		problem === null ? {} : { status: 400 },
	);
}

interface CodeTableProps {
	readonly session: CabinetContext['var']['session'];
	readonly codes: Awaited<ReturnType<typeof codesOf>>;
	/** Basis points where a code has none. */
	readonly fallback: number;
}

const CodeTable = ({ session, codes, fallback }: CodeTableProps) => (
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
					<OwnForm session={session} action={`${PATH}/${enabled ? 'disable' : 'enable'}`}>
						<input type="hidden" name="code" value={code} />
						<Send
							class="plain"
							aria-label={`Switch ${enabled ? 'off' : 'on'} ${code}`}
							text={enabled ? 'Switch off' : 'Switch on'}
						/>
					</OwnForm>
				),
			},
		]}
	/>
);

async function make(c: CabinetContext): Promise<Response> {
	const { code, label, afftaxBps } = await c.req.parseBody();
	if (typeof afftaxBps !== 'string' || !BPS.test(afftaxBps)) return showCodes(c, REFUSED);
	const input = { code, label, afftaxBps: Number(afftaxBps) };
	const answer = await c.env.desk.callAs(c.var.session.partnerId, '/api/v1/codes', input, 'POST');
	if (answer.code === 0) return c.redirect(PATH, 303);
	return showCodes(c, answer.code === LIMIT_REACHED ? FULL : REFUSED);
}

function mountSwitch(app: Hono<CabinetEnv>, action: string, method: string, path: string): void {
	app.post(`${PATH}/${action}`, async (c) => {
		const { code } = await c.req.parseBody();
		const answer = await c.env.desk.callAs(c.var.session.partnerId, path, { code }, method);
		return answer.code === 0 ? c.redirect(PATH, 303) : showCodes(c, 'You have no such code.');
	});
}

export function mountCodes(app: Hono<CabinetEnv>): void {
	app.get(PATH, (c) => showCodes(c));
	app.post(PATH, make);
	mountSwitch(app, 'disable', 'DELETE', '/api/v1/codes');
	mountSwitch(app, 'enable', 'POST', '/api/v1/codes/enable');
}
