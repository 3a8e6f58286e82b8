/**
 * The operator Worker: what the operator's commands do, and the cron's part for the operator. It has no route of its own:
 * only the API Worker's service binding reaches it. A Worker of its own, so that no command costs the API's start, memory
 * or bundle anything. No logic here.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { NetworkName } from '../catalog/networks.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { observe } from '../platform/metrics/observe.ts';
import type { AgentState } from '../ports/chain-agent.ts';
import type { CommandAnswer, CommandInput, OwnChange, PagesAnswer } from '../ports/desk.ts';
import type { CallFacts, Loan, OperatorService } from '../ports/operator.ts';
import { archiveOrders } from '../treasury/archive/run.ts';
import { runMinute } from './alerts/minute.ts';
import { createOperatorApi } from './api.ts';
import { followAudit } from './audit.ts';
import { borrowedEnv, strayVariables } from './borrowed.ts';
import { type Context, type Deployment, isFailure } from './command.ts';
import type { OperatorBindings, OperatorEnv } from './env.ts';
import { manyPages } from './many-pages.ts';
import { changeOwn, sendAgain } from './own-changes.ts';
import { payPartnersDue } from './partners/auto-payouts.ts';

const api = createOperatorApi();

export class Operator extends WorkerEntrypoint<OperatorBindings> implements OperatorService {
	async answer(request: Request, facts: CallFacts, loan: Loan): Promise<Response> {
		return api(request, this.#with(loan), facts, this.#deployment(loan));
	}

	async answerPages(url: string, input: CommandInput, facts: CallFacts, loan: Loan): Promise<PagesAnswer> {
		return manyPages(input, async (page) => {
			const request = new Request(url, { method: 'POST', body: JSON.stringify(page) });
			return (await this.answer(request, facts, loan)).json();
		});
	}

	async minute(agents: ReadonlyMap<NetworkName, AgentState>, now: number, loan: Loan): Promise<void> {
		await runMinute(this.#with(loan), agents, now, this.#deployment(loan));
	}

	async payPartners(now: number, loan: Loan): Promise<void> {
		await payPartnersDue(this.#with(loan), now);
	}

	async archive(now: number, loan: Loan): Promise<void> {
		await archiveOrders(this.#with(loan), now, (object) => loan.findsArchived(object));
	}

	async changeOwn(partnerId: string, change: OwnChange, loan: Loan): Promise<CommandAnswer> {
		return this.#chained(loan, (context) => changeOwn(context, partnerId, change));
	}

	async sendAgain(partnerId: string, eventId: string, loan: Loan): Promise<CommandAnswer> {
		return this.#chained(loan, (context) => sendAgain(context, partnerId, eventId));
	}

	#deployment({ api }: Loan): Deployment {
		return { api, strayVariables: strayVariables(this.env) };
	}

	#with(loan: Loan): OperatorEnv {
		const env = borrowedEnv(this.env, loan);
		observe(env);
		return env;
	}

	/** What a partner does. */
	async #chained(loan: Loan, run: (context: Context) => Promise<unknown>): Promise<CommandAnswer> {
		const env = this.#with(loan);
		const answer = commandAnswer(await run({ env, db: databaseOf(env), now: Date.now(), actor: 'partner' }));
		await followAudit(env);
		return answer;
	}
}

const commandAnswer = (outcome: unknown): CommandAnswer =>
	isFailure(outcome) ? { ok: false, error: outcome.error } : { ok: true, data: outcome };

/** Nothing calls it: the platform wants one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
