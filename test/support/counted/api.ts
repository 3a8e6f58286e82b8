/** The API Worker as it is deployed, which counts what it asks of the platform. `GET /counted` takes the events so far. */
import { PagesDesk } from '../../../src/api/desk.ts';
import api, * as objects from '../../../src/api/index.ts';
import { countedEnv, countedObject } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

export const AnonymousGate = countedObject('AnonymousGate', objects.AnonymousGate);
export const Keeper = countedObject('Keeper', objects.Keeper);
export const PartnerGate = countedObject('PartnerGate', objects.PartnerGate);
export const RateBook = countedObject('RateBook', objects.RateBook);

// A page's question comes back over the connection of its request, in no event of this Worker.
const { operator, signIn } = PagesDesk.prototype;
Object.assign(PagesDesk.prototype, {
	operator(this: PagesDesk) {
		return inEvent('desk operator', () => operator.call(this));
	},
	signIn(this: PagesDesk, token: string) {
		return inEvent('desk sign-in', () => signIn.call(this, token));
	},
});

export default {
	async fetch(request, env, ctx) {
		const { pathname } = new URL(request.url);
		if (pathname === '/counted') return Response.json(takeEvents());
		return inEvent(`${request.method} ${pathname}`, () => api.fetch(request, countedEnv(env), ctx));
	},
	scheduled: (controller, env) => inEvent('cron', () => api.scheduled(controller, countedEnv(env))),
	queue: (batch, env, ctx) => inEvent('queue', () => api.queue(batch, countedEnv(env), ctx)),
} satisfies typeof api;
