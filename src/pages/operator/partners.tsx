/** Partners: the list, and one of them with what can be done. */
import type { Context } from 'hono';
import { isRow, type Row } from '../../operator/reading/fields.ts';
import { Go } from '../parts/parts.tsx';
import { Sections } from './answer.tsx';
import { askerOf } from './asking.ts';
import { addressOf } from './commands.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import type { ConsoleEnv } from './operator.ts';
import { Failed, readPage } from './reading.tsx';
import { visible } from './values.tsx';

export const partnersPage = (c: Context<ConsoleEnv>): Promise<Response> =>
	readPage(c, {
		path: 'partner/list',
		title: 'Partners',
		at: '/operator/partners',
		wide: true,
		above: (
			<p>
				<Go main to={addressOf('partner/create')} text="New partner" />
			</p>
		),
	});

export async function partnerPage(c: Context<ConsoleEnv>): Promise<Response> {
	const id = c.req.param('id') ?? '';
	const ask = askerOf(c);
	const [partner, earnings] = await Promise.all([ask('partner/show', { id }), ask('earnings/show', { partner: id })]);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Partner" path="/operator/partners">
			{isRow(partner) ? (
				<OnePartner partner={partner} earnings={earnings} />
			) : (
				<Failed error="There is no such partner." />
			)}
		</ConsoleFrame>,
		{ status: isRow(partner) ? 200 : 404 },
	);
}

function OnePartner({ partner, earnings }: { readonly partner: Row; readonly earnings: unknown }) {
	const {
		payoutAsset: _,
		payoutAddress: __,
		payoutAddressChangedAt: ___,
		partnerId: ____,
		name: _____,
		...owed
	} = isRow(earnings) ? earnings : {};
	return (
		<>
			<h1>
				<bdi>{visible(String(partner['name']))}</bdi>
			</h1>
			<Actions id={String(partner['id'])} isEnabled={partner['enabled'] === true} />
			<Sections record={partner} />
			<h2>Earnings</h2>
			<Sections record={owed} />
		</>
	);
}

function Actions({ id, isEnabled }: { readonly id: string; readonly isEnabled: boolean }) {
	const links: readonly (readonly [string, string])[] = [
		['Change', addressOf('partner/update', { id })],
		[isEnabled ? 'Disable' : 'Enable', addressOf('partner/update', { id, enabled: isEnabled ? 'off' : 'on' })],
		['Replace a secret', addressOf('partner/replace-secret', { id })],
		['Invite', addressOf('partner/invite', { id })],
		['Pay out earnings', addressOf('earnings/pay-out', { partner: id })],
		['Orders', `/operator/orders?${new URLSearchParams({ partner: id })}`],
		['Webhooks', addressOf('webhook/list', { partner: id })],
	];
	return (
		<p class="row">
			{links.map(([text, address]) => (
				<Go to={address} text={text} />
			))}
		</p>
	);
}
