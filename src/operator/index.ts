/**
 * The operator Worker: what the operator's commands do, and what is done each minute for the operator. It has no route of
 * its own: only the API Worker's service binding reaches it. A Worker of its own, so that no command costs the API's start,
 * memory or bundle anything. No logic here.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import { databaseOf } from '../platform/d1/database.ts';
import { observe } from '../platform/metrics/observe.ts';
import type { CommandAnswer, CommandInput, OwnChange, PagesAnswer } from '../ports/desk.ts';
import type { CallFacts, OperatorService, Played, SandboxEvent, Visit } from '../ports/operator.ts';
import { createOperatorApi } from './api.ts';
import { followAudit } from './audit.ts';
import { type Context, isFailure } from './command.ts';
import { redeliver } from './commands/webhook.ts';
import { watch } from './cron.ts';
import { commandEnv, keeperOf, type OperatorBindings } from './env.ts';
import { changeOwn } from './partners/own.ts';
import { openVisit, playSandbox } from './partners/visitors.ts';
import { manyPages } from './reading/pages.ts';

const api = createOperatorApi();

export class Operator extends WorkerEntrypoint<OperatorBindings> implements OperatorService {
	async answer(request: Request, facts: CallFacts): Promise<Response> {
		const told = await keeperOf(this.env).told();
		const env = commandEnv(this.env, told);
		observe(env);
		return api(request, env, facts, { api: told, version: facts.version, own: this.env });
	}

	async answerPages(url: string, input: CommandInput, facts: CallFacts): Promise<PagesAnswer> {
		return manyPages(input, async (page) => {
			const request = new Request(url, { method: 'POST', body: JSON.stringify(page) });
			return (await this.answer(request, facts)).json();
		});
	}

	async changeOwn(partnerId: string, change: OwnChange): Promise<CommandAnswer> {
		return this.#chained((context) => changeOwn(context, partnerId, change));
	}

	async sendAgain(partnerId: string, eventId: string): Promise<CommandAnswer> {
		return this.#chained((context) => redeliver(context, { id: eventId, partnerId }, 'cabinet webhook redeliver'));
	}

	async openVisit(network: string): Promise<Visit | null> {
		return openVisit(await this.#context(), network);
	}

	async playSandbox(partnerId: string, event: SandboxEvent): Promise<Played> {
		return playSandbox(await this.#context(), partnerId, event);
	}

	/** Runs an action of a partner. */
	async #chained(run: (context: Context) => Promise<unknown>): Promise<CommandAnswer> {
		const context = await this.#context();
		const answer = commandAnswer(await run(context));
		await followAudit(context.env);
		return answer;
	}

	async #context(): Promise<Context> {
		const env = commandEnv(this.env, await keeperOf(this.env).told());
		observe(env);
		return { env, db: databaseOf(env), now: Date.now(), actor: 'partner' };
	}
}

const commandAnswer = (outcome: unknown): CommandAnswer =>
	isFailure(outcome) ? { ok: false, error: outcome.error } : { ok: true, data: outcome };

export default {
	/** Nothing calls it: the platform wants one. */
	fetch: () => new Response(null, { status: 404 }),
	scheduled: (_controller, env) => watch(env, Date.now()),
} satisfies ExportedHandler<OperatorBindings>;
