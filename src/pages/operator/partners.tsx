/** Partners: the list, and one of them with what can be done. */
import { isRow, type Row } from '../../operator/reading/fields.ts';
import { Sections } from './answer.tsx';
import { askerOf, type ConsoleContext } from './asking.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { type Action, Actions, actionOf } from './may.tsx';
import { Failed, readPage } from './reading.tsx';
import { visible } from './values.tsx';

export const partnersPage = (c: ConsoleContext): Promise<Response> =>
	readPage(c, {
		path: 'partner/list',
		title: 'Partners',
		at: '/operator/partners',
		wide: true,
		above: <Actions actions={[{ ...actionOf('partner/create'), main: true }]} />,
	});

export async function partnerPage(c: ConsoleContext): Promise<Response> {
	const id = c.req.param('id') ?? '';
	const ask = askerOf(c);
	const [partner, earnings] = await Promise.all([ask('partner/show', { id }), ask('earnings/show', { partner: id })]);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Partner" path="/operator/partners">
			{isRow(partner) ? (
				<OnePartner partner={partner} earnings={earnings} />
			) : (
				<>
					<h1>No such partner</h1>
					<Failed error="There is no such partner." />
				</>
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
			<Actions actions={actionsFor(String(partner['id']), partner['enabled'] === true)} />
			<Sections record={partner} />
			<h2>Earnings</h2>
			<Sections record={owed} />
		</>
	);
}

const actionsFor = (id: string, isEnabled: boolean): Action[] => [
	actionOf('partner/update', { id }, 'Change'),
	actionOf('partner/update', { id, enabled: isEnabled ? 'off' : 'on' }, isEnabled ? 'Disable' : 'Enable'),
	actionOf('partner/replace-secret', { id }, 'Replace a secret'),
	actionOf('partner/invite', { id }, 'Invite'),
	actionOf('earnings/pay-out', { partner: id }, 'Pay out earnings'),
	{ text: 'Orders', address: `/operator/orders?${new URLSearchParams({ partner: id })}` },
	actionOf('webhook/list', { partner: id }, 'Webhooks'),
];
