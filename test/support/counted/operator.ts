/** The operator Worker as it is deployed, which counts what it asks of the platform. Its own handler takes the events so far. */
import * as worker from '../../../src/operator/index.ts';
import type { CallFacts } from '../../../src/ports/operator.ts';
import { countedEnv } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

const { default: handler } = worker;

export class Operator extends worker.Operator {
	constructor(ctx: ExecutionContext, env: ConstructorParameters<typeof worker.Operator>[1]) {
		super(ctx, countedEnv(env));
	}

	override answer(request: Request, facts: CallFacts): Promise<Response> {
		return inEvent(`${request.method} ${new URL(request.url).pathname}`, () => super.answer(request, facts));
	}
}

export default {
	fetch: () => Response.json(takeEvents()),
	scheduled: (controller, env) => inEvent('cron operator', () => handler.scheduled(controller, countedEnv(env))),
} satisfies ExportedHandler<ConstructorParameters<typeof worker.Operator>[1]>;
