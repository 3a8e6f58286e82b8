/**
 * Makes the pages Worker do everything that it can: each page of the cabinet and the console, each form, sign-ins that
 * succeed and fail, the page of an order, the status. What comes out is not looked at (`checks/plans.test.ts`).
 */
import { CabinetVisitor } from './cabinet.ts';
import { hiddenFields, signIn } from './console-visit.ts';
import type { CreatedOrder } from './orders.ts';
import type { TestService } from './service.ts';

/** Pages that read a bounded number of rows, whatever the history. */
const CABINET = ({ order }: Visited) => [
	'',
	'?days=7',
	'/orders',
	'/orders?status=DONE',
	'/orders?status=DONE&from=2026-01-01&to=2099-01-01',
	'/orders?sort=oldest',
	`/orders/${order.id}`,
	...[order.id, order.id.slice(0, 6), order.from.address, order.to.address, 'A 1', 'a'.repeat(64)].map(
		(q) => `/orders?q=${encodeURIComponent(q)}`,
	),
	`/orders?q=A+1&after=900000000000000.${order.id}`,
	'/orders?q=A+1&back=3',
	...[1, 9e14].map((at) => `/orders?sort=${at === 1 ? 'oldest' : ''}&after=${at}.${order.id}`),
	`/orders/${crypto.randomUUID()}`,
	'/earnings',
	'/codes',
	'/webhooks',
	'/webhooks?before=1900000000000',
	'/credentials',
	'/keys',
	'/settings',
	'/limits',
	'/team',
	'/access',
	'/log',
	'/log?below=1000000000',
];

const CONSOLE = ({ partnerId, order }: Visited) => [
	'',
	'/networks',
	'/networks/Litecoin',
	'/prices',
	'/orders',
	`/orders/${order.id}`,
	`/orders?text=${order.id}`,
	'/transactions',
	'/partners',
	`/partners/${partnerId}`,
	'/settings',
	'/settings/pairs?from=LTC',
	'/ledger',
	'/reports',
	'/audit',
	'/command',
];

interface Visited {
	readonly partnerId: string;
	readonly order: CreatedOrder;
}

/** All pages that are read. */
export async function readPages(service: TestService, visited: Visited): Promise<CabinetVisitor> {
	const { order } = visited;
	const person = await new CabinetVisitor(service).enter(visited.partnerId);
	for (const path of CABINET(visited)) await person.get(`/cabinet${path}`);
	const { visitor } = await signIn(service, service.local.secrets.OPERATOR_TOKEN);
	for (const path of CONSOLE(visited)) await visitor.get(`/operator${path}`);
	const token = { authorization: `Bearer ${order.token}` };
	for (const [path, headers] of [
		[`/o/${order.id}`, {}] as const,
		[`/o/${order.id}/state`, token] as const,
		...[
			'/',
			'/status',
			'/status.json',
			'/solvency',
			'/solvency.json',
			'/solvency-heads.json',
			'/docs/search?q=nonce',
		].map((each) => [each, {}] as const),
	])
		await (await fetch(service.url + path, { headers })).text();
	const body = new URLSearchParams({ action: 'proof' });
	await (await fetch(`${service.url}/o/${order.id}`, { method: 'POST', headers: token, body })).text();
	await person.get('/cabinet/earnings/solvency.json');
	return person;
}

/** And every form. */
export async function usePages(service: TestService, visited: Visited, webhookUrl: string): Promise<void> {
	const person = await readPages(service, visited);
	// These read more of a longer history: as much as they show, or up to a bound of the store.
	for (const path of ['.csv', '.json?status=DONE&sort=oldest', '?asset=LTC', '?code=summer&status=DONE'])
		await person.get(`/cabinet/orders${path}`);
	await person.post('/cabinet/codes', { code: 'by-form', label: '', afftaxBps: '10' });
	for (const action of ['disable', 'enable']) await person.post(`/cabinet/codes/${action}`, { code: 'by-form' });
	await person.post('/cabinet/webhooks', { webhookUrl, events: ['order.status_changed'] });
	await person.post('/cabinet/webhooks/test');
	const [event] = await service.sql<{ id: string }>(
		'SELECT event_id AS id FROM webhook_events WHERE partner_id = ? LIMIT 1',
		visited.partnerId,
	);
	await person.post('/cabinet/webhooks/again', { id: event?.id ?? '' });
	await person.confirmed('/cabinet/credentials', 'credentials', { rotate: 'webhookSecret' });
	await person.confirmed('/cabinet/orders/exchange', 'exchange', { id: visited.order.id });
	await person.get(`/cabinet/webhooks/${event?.id}`);
	await person.confirmed('/cabinet/earnings', 'payout', { payoutAsset: 'LTC', payoutAddress: 'nowhere' });
	const other = await new CabinetVisitor(service).enter(visited.partnerId);
	const [session] = await service.sql<{ id: string }>(
		'SELECT id FROM cabinet_sessions WHERE passkey_id = ?',
		other.passkey.id,
	);
	await person.post('/cabinet/access/sessions/end', { id: session?.id ?? '' });
	await person.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: other.passkey.id });
	for (const member of ['Ana', 'Bea'])
		await person.confirmed('/cabinet/team/invite', 'passkeys', { member, role: 'support' });
	const [link] = await service.sql<{ hash: string }>("SELECT hash FROM cabinet_invitations WHERE member = 'Ana'");
	await person.post('/cabinet/team/cancel', { hash: link?.hash ?? '' });
	await person.confirmed('/cabinet/team/remove', 'passkeys', { member: 'Bea', role: 'support' });
	await person.confirmed('/cabinet/settings', 'settings', { afftaxBps: '10' });
	await person.post('/cabinet/access/sessions/end-others');
	await person.post('/cabinet/sign-out');
	await person.signIn();
	const owner = new CabinetVisitor(service);
	await owner.accept(await owner.invited(visited.partnerId, { recover: true }));
	await useConsole(service, visited);
}

async function useConsole(service: TestService, { order }: Visited): Promise<void> {
	await signIn(service, 'not the token');
	const { visitor } = await signIn(service, service.local.secrets.OPERATOR_TOKEN);
	await visitor.get('/operator/command/export/orders?since=7d&_file=csv');
	for (const path of ['network/update?name=Tron&receive=on', `order/refund?id=${order.id}`, 'treasury/withdraw'])
		await visitor.get(`/operator/command/${path}`);
	const change = '/operator/command/network/update';
	const form = await visitor.get(`${change}?name=Tron&receive=on`);
	await visitor.post(change, hiddenFields(form, change));
	const out = '/operator/sign-out';
	await visitor.post(out, hiddenFields(await visitor.get('/operator'), out));
}
