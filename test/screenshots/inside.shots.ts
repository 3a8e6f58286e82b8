/** `npm run screenshots`: the pages behind a sign-in, the cabinet's and the console's. */
import type { Page } from 'playwright-core';
import { afterAll, it } from 'vitest';
import { closeBrowser } from '../support/browser.ts';
import { CabinetVisitor, cabinetUrl } from '../support/cabinet.ts';
import { fillCabinet } from '../support/cabinet-pages.ts';
import { fillConsole } from '../support/console-pages.ts';
import { signIn } from '../support/console-visit.ts';
import { serviceForFile } from '../support/service.ts';
import { draw, nameOf, withCookie } from './draw.ts';

const CABINET = [
	'',
	'/orders',
	'/orders?status=EXCHANGE',
	'/earnings',
	'/codes',
	'/webhooks',
	'/credentials',
	'/keys',
	'/settings',
	'/appearance',
	'/limits',
	'/access',
	'/team',
	'/log',
];
const CONSOLE = [
	'',
	'/networks',
	'/networks/Litecoin',
	'/prices',
	'/orders',
	'/orders?text=nothing-like-it',
	'/transactions',
	'/partners',
	'/settings',
	'/settings/pairs?from=LTC',
	'/ledger',
	'/reports',
	'/audit',
	'/command',
	'/command/doctor',
	'/command/ledger/check',
	'/command/site/update',
	'/command/partner/update',
	'/command/network/update?name=Tron&send=off',
];

const service = serviceForFile({}, { pages: true });
afterAll(closeBrowser);

it('draws the console', async () => {
	const { partner, emergency, done } = await fillConsole(service.current());
	const { operator, local } = service.current();
	const { visitor } = await signIn(service.current(), local.secrets.OPERATOR_TOKEN);
	const url = `${service.current().url}/operator`;
	const options = withCookie(visitor.cookie, url);
	await draw('console-sign-in', url);
	const [sent] = await operator<{ id: string }[]>('payout/list');
	const own = {
		order: `/orders/${emergency}`,
		done: `/orders/${done}`,
		transaction: `/transactions/${sent?.id}`,
		partner: `/partners/${partner.id}`,
		refund: `/command/order/refund?id=${emergency}`,
		none: '/orders/00000000-0000-4000-8000-000000000000',
	};
	for (const path of CONSOLE) await draw(`console-${nameOf(path)}`, url + path, { options });
	for (const [name, path] of Object.entries(own)) await draw(`console-${name}`, url + path, { options });
	await draw('console-changed', `${url}/command/network/update?name=Tron&send=off`, {
		options,
		act: async (page: Page) => {
			await page.getByRole('button', { name: 'Change the switch' }).click();
			await page.getByRole('heading', { level: 1, name: /^Done/ }).waitFor();
		},
		looks: ['desk'],
	});
});

it('draws the cabinet', async () => {
	const { partner, orders } = await fillCabinet(service.current(), 'https://shop.example/hook');
	const visitor = await new CabinetVisitor(service.current()).enter(partner.id);
	await visitor.post('/cabinet/webhooks/test');
	await visitor.confirmed('/cabinet/team/invite', 'passkeys', { member: 'Bea', role: 'support' });
	const url = `${cabinetUrl(service.current())}/cabinet`;
	const options = withCookie(visitor.cookie, url);
	await draw('cabinet-sign-in', url);
	const invitation = await visitor.invited(partner.id);
	await draw('cabinet-invitation', `${url}/invitation#${invitation}`);
	await draw('cabinet-invitation-over', `${url}/invitation#${'A'.repeat(43)}`);
	for (const path of CABINET) await draw(`cabinet-${nameOf(path)}`, url + path, { options });
	const [webhook] = await service.current().sql<{ id: string }>('SELECT event_id AS id FROM webhook_events LIMIT 1');
	const own = {
		order: `/orders/${orders[0]?.id}`,
		decide: `/orders/${orders[6]?.id}`,
		webhook: `/webhooks/${webhook?.id}`,
		none: '/orders/00000000-0000-4000-8000-000000000000',
	};
	for (const [name, path] of Object.entries(own)) await draw(`cabinet-${name}`, url + path, { options });
});
