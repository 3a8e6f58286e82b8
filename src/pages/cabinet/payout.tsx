/** `/cabinet/earnings`: what is owed, what was paid, and where it is paid to. */
import * as z from 'zod/mini';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { ASSET_NAMES, assetName, coinName } from '../asset-names.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Card, Facts, Field, Figure, Note, Send, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { Table } from '../parts/table.tsx';
import { ownFileOfPartner, provesSolvency } from '../solvency/store.ts';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnForm } from './frame.tsx';
import { partnerOf } from './store.ts';
import { counted, usd } from './words.ts';

const PATH = '/cabinet/earnings';
const PROOF_PATH = '/cabinet/earnings/solvency.json';
const SECOND = 1000;
/** How long a changed address waits before anything is paid to it; the signer holds to it. */
export const PAYOUT_WAITS_MILLISECONDS = DAY_MILLISECONDS;

/** The part of the endpoint's answer that is shown. */
const earningsSchema = z.object({
	earnedUsd: z.string(),
	paidUsd: z.string(),
	owedUsd: z.nullable(z.string()),
	owed: z.array(z.object({ code: z.string(), network: z.string(), amount: z.string(), usd: z.nullable(z.string()) })),
	paid: z.array(
		z.object({
			asset: z.string(),
			network: z.string(),
			amount: z.string(),
			usd: z.string(),
			address: z.string(),
			txId: z.string(),
			orderCount: z.int(),
			time: z.int(),
		}),
	),
});
type Earnings = z.infer<typeof earningsSchema>;
type Partner = Awaited<ReturnType<typeof partnerOf>>;

interface Given {
	readonly payoutAsset: string;
	readonly payoutAddress: string;
}

/** `refused`: why nothing was changed, and what was typed. */
async function showEarnings(
	c: CabinetContext,
	refused: { readonly problem: string; readonly given: Given } | null = null,
): Promise<Response> {
	const problem = refused?.problem ?? null;
	const { session } = c.var;
	const [partner, answer] = await Promise.all([
		partnerOf(placesOf(c).db, session.partnerId),
		c.env.desk.callAs(session.partnerId, '/api/v1/earnings', {}),
	]);
	const earnings = earningsSchema.parse(answer.data);
	const { owedUsd } = earnings;
	const said = owedUsd === null ? 'Your earnings: a price is not known now' : `${usd(owedUsd)} is owed to you`;
	return cabinetPage(
		c,
		{ title: 'Earnings', heading: <h1>{said}</h1>, path: PATH, scripts: ['passkey.js'], problem },
		<>
			{c.req.query('done') === 'changed' && !problem && (
				<Note tone="good">The address was changed. Nothing is paid to it for 24 hours, and the operator was told.</Note>
			)}
			<Sums {...earnings} />
			{(await provesSolvency(c.env)) && (
				<p class="small soft">
					<a href={PROOF_PATH} download="solvency-earnings.json">
						Save where your earnings stand in the newest proof of solvency
					</a>{' '}
					(JSON). <a href="/docs/book/solvency">How to check it</a>
				</p>
			)}
			<div class="grid">
				<Where partner={partner} />
				<Card title="Change it">
					<ChangeForm partner={partner} given={refused?.given} />
				</Card>
			</div>
			<h2>Paid to you</h2>
			<Paid {...earnings} />
		</>,
	);
}

const Sums = ({ owed, earnedUsd, paidUsd }: Earnings) => (
	<>
		<div class="grid">
			<Figure value={usd(earnedUsd)} label="ever earned, worth when it was earned" />
			<Figure value={usd(paidUsd)} label="ever paid, worth when it was paid" />
		</div>
		<Table
			label="Owed"
			rows={owed}
			empty="Nothing is owed to you now."
			columns={[
				{ head: 'Asset', cell: ({ code }) => assetName(code) },
				{ head: 'Owed', is: 'number', cell: ({ amount, code }) => `${grouped(amount)} ${coinName(code)}` },
				{ head: 'Worth now', is: 'number', cell: ({ usd: worth }) => (worth === null ? 'unknown' : usd(worth)) },
			]}
		/>
	</>
);

const Where = ({ partner }: { readonly partner: Partner }) => {
	const { payoutAsset, payoutAddress, payoutAddressChangedAt, autoPayout } = partner;
	if (payoutAsset === null || payoutAddress === null)
		return (
			<Card title="Where you are paid">
				<p>There is no address yet, so nothing can be paid.</p>
			</Card>
		);
	const usableAt = (payoutAddressChangedAt ?? 0) + PAYOUT_WAITS_MILLISECONDS;
	return (
		<Card title="Where you are paid">
			<Copyable value={payoutAddress} label="Payout address">
				<Address value={payoutAddress} />
			</Copyable>
			<Facts
				facts={{
					Asset: assetName(payoutAsset),
					Changed: payoutAddressChangedAt && <Time at={payoutAddressChangedAt} />,
					'Paid to from': usableAt > Date.now() ? <Time at={usableAt} /> : 'now on',
					'By itself': autoPayout === 'none' ? 'no: the operator pays' : autoPayout,
				}}
			/>
		</Card>
	);
};

const ChangeForm = ({ partner, given }: { readonly partner: Partner; readonly given: Given | undefined }) => (
	<OwnForm action={PATH} confirms="payout">
		<Field
			name="payoutAsset"
			label="Asset"
			choices={ASSET_NAMES}
			value={given?.payoutAsset ?? partner.payoutAsset ?? ''}
		/>
		<Field
			name="payoutAddress"
			label="Address on the asset’s network"
			value={given?.payoutAddress ?? ''}
			hint="Nothing is paid to a new address for 24 hours. Every change is told to the operator and sent as a webhook."
			required
			maxlength={200}
			autocomplete="off"
		/>
		<Send disabled text="Change with your passkey" />
	</OwnForm>
);

const Paid = ({ paid }: Earnings) => (
	<Table
		label="Payouts of earnings"
		rows={paid}
		empty="Nothing was paid to you yet."
		columns={[
			{ head: 'Paid', cell: ({ time }) => <Time at={time * SECOND} /> },
			{ head: 'Amount', is: 'number', cell: ({ amount, asset }) => `${grouped(amount)} ${coinName(asset)}` },
			{ head: 'Worth then', is: 'number', cell: ({ usd: worth }) => usd(worth) },
			{ head: 'For', is: 'number', cell: ({ orderCount }) => counted(orderCount, 'order', 'orders') },
			{ head: 'To', cell: ({ address }) => <code>{address}</code> },
			{ head: 'Transaction', cell: ({ txId }) => <code>{txId}</code> },
		]}
	/>
);

async function change(c: CabinetContext): Promise<Response> {
	const { payoutAsset, payoutAddress } = await c.req.parseBody();
	const wanted = { payoutAsset: String(payoutAsset), payoutAddress: String(payoutAddress).trim() };
	const refused = (problem: string) => showEarnings(c, { problem, given: wanted });
	if (!(await isConfirmed(c, 'payout'))) return refused(NOT_CONFIRMED);
	const changed = await c.env.desk.changeOwn(c.var.session.partnerId, wanted);
	return changed.ok ? c.redirect(`${PATH}?done=changed`, 303) : refused(`Not changed: ${changed.error}.`);
}

export function mountEarnings(app: CabinetApp): void {
	app.get(PATH, (c) => showEarnings(c));
	app.get(PROOF_PATH, async (c) => {
		const file = (await provesSolvency(c.env)) ? await ownFileOfPartner(c.env, c.var.session.partnerId) : null;
		return file ? c.json(file, 200, { 'cache-control': 'no-store' }) : c.notFound();
	});
	app.post(PATH, change);
}
