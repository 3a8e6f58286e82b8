/**
 * The operator Worker: what the operator's commands do, and the cron's part for the operator. It has no route of its own:
 * only the API Worker's service binding reaches it. A Worker of its own, so that no command costs the API's start, memory
 * or bundle anything. No logic here.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import { observe } from '../metrics/observe.ts';
import type { CommandAnswer, OwnChange } from '../pages/desk.ts';
import type { AgentState } from '../treasury/agent-rpc.ts';
import { archiveOrders } from '../treasury/archive/run.ts';
import { runMinute } from './alerts/minute.ts';
import { createOperatorApi } from './api.ts';
import { borrowedEnv } from './borrowed.ts';
import { type Context, isFailure } from './command.ts';
import type { OperatorBindings, OperatorEnv } from './env.ts';
import { changeOwn, explorers, sendAgain } from './own-changes.ts';
import { payPartnersDue } from './partners/auto-payouts.ts';
import type { Asked, Lent, OperatorService } from './port.ts';

const api = createOperatorApi();

export class Operator extends WorkerEntrypoint<OperatorBindings> implements OperatorService {
	async answer(request: Request, asked: Asked, lent: Lent): Promise<Response> {
		return api(request, this.#with(lent), asked, lent.api);
	}

	async minute(agents: ReadonlyMap<NetworkName, AgentState>, now: number, lent: Lent): Promise<void> {
		await runMinute(this.#with(lent), agents, now);
	}

	async payPartners(now: number, lent: Lent): Promise<void> {
		await payPartnersDue(this.#with(lent), now);
	}

	async archive(now: number, lent: Lent): Promise<void> {
		await archiveOrders(this.#with(lent), now);
	}

	async changeOwn(partnerId: string, change: OwnChange, lent: Lent): Promise<CommandAnswer> {
		return commandAnswer(await changeOwn(this.#ofPartner(lent), partnerId, change));
	}

	async sendAgain(partnerId: string, eventId: string, lent: Lent): Promise<CommandAnswer> {
		return commandAnswer(await sendAgain(this.#ofPartner(lent), partnerId, eventId));
	}

	async explorers(lent: Lent): Promise<Readonly<Record<string, string>>> {
		return explorers(this.#with(lent));
	}

	#with(lent: Lent): OperatorEnv {
		const env = borrowedEnv(this.env, lent);
		observe(env);
		return env;
	}

	#ofPartner(lent: Lent): Context {
		const env = this.#with(lent);
		return { env, db: drizzle(env.DB), now: Date.now(), actor: 'partner' };
	}
}

const commandAnswer = (outcome: unknown): CommandAnswer =>
	isFailure(outcome) ? { ok: false, error: outcome.error } : { ok: true, data: outcome };

/** Nothing calls it: the platform wants one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
