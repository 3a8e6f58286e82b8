/** The operator console: which address shows what. Nobody gets past the first handler who is not an operator. */
import { Hono, type MiddlewareHandler } from 'hono';
import type { ConsoleContext, ConsoleEnv } from './asking.ts';
import { attentionPage } from './attention.tsx';
import { runCommand, showCommand } from './command.tsx';
import { isOwnForm, readForm } from './forms.ts';
import { networkPage, networksPage } from './networks.tsx';
import { orderPage, ordersPage } from './orders.tsx';
import { auditPage, commandsPage, ledgerPage, pricesPage, transactionPage, transactionsPage } from './others.tsx';
import { partnerPage, partnersPage } from './partners.tsx';
import { passkeyPages } from './passkeys.tsx';
import { reportsPage } from './reports.tsx';
import { pairsPage, settingsPage } from './settings.tsx';
import { signIn, signInFirst, signOut } from './sign-in.tsx';

const PAGES: Readonly<Record<string, (c: ConsoleContext) => Promise<Response>>> = {
	'/operator': attentionPage,
	'/operator/networks': networksPage,
	'/operator/networks/:name': networkPage,
	'/operator/prices': pricesPage,
	'/operator/orders': ordersPage,
	'/operator/orders/:id': orderPage,
	'/operator/transactions': transactionsPage,
	'/operator/transactions/:id': transactionPage,
	'/operator/partners': partnersPage,
	'/operator/partners/:id': partnerPage,
	'/operator/settings': settingsPage,
	'/operator/settings/pairs': pairsPage,
	'/operator/ledger': ledgerPage,
	'/operator/reports': reportsPage,
	'/operator/audit': auditPage,
	'/operator/command': commandsPage,
};

const COMMAND = '/operator/command/:topic/:verb?';

export function consolePages(): Hono<ConsoleEnv> {
	const app = new Hono<ConsoleEnv>();
	app.post('/operator/sign-in', signIn);
	app.use('/operator/*', onlyOperators);
	app.post('/operator/sign-out', async (c) => {
		const form = await readForm(c);
		return form && isOwnForm(c, form) ? signOut(c) : c.redirect('/operator', 303);
	});
	for (const [path, page] of Object.entries(PAGES)) app.get(path, page);
	passkeyPages(app);
	app.get(COMMAND, async (c) => (await showCommand(c)) ?? c.notFound());
	app.post(COMMAND, async (c) => (await runCommand(c)) ?? c.notFound());
	return app;
}

const onlyOperators: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
	const found = await c.env.desk.operator();
	if (!('operator' in found)) return signInFirst(c, found);
	c.set('operator', found.operator);
	return next();
};
