/** The operator Worker as it is deployed, which counts what it asks of the platform. */

import * as worker from '../../../src/operator/index.ts';
import type { CallFacts, Loan } from '../../../src/ports/operator.ts';
import { countedEnv, countedLoan } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

type Minute = Parameters<worker.Operator['minute']>;

export class Operator extends worker.Operator {
	constructor(ctx: ExecutionContext, env: ConstructorParameters<typeof worker.Operator>[1]) {
		super(ctx, countedEnv(env));
	}

	override answer(request: Request, facts: CallFacts, loan: Loan): Promise<Response> {
		const label = `${request.method} ${new URL(request.url).pathname}`;
		return inEvent(label, () => super.answer(request, facts, countedLoan(loan)));
	}

	override minute(agents: Minute[0], now: number, loan: Loan): Promise<void> {
		return inEvent('cron minute', () => super.minute(agents, now, countedLoan(loan)));
	}

	override payPartners(now: number, loan: Loan): Promise<void> {
		return inEvent('cron payPartners', () => super.payPartners(now, countedLoan(loan)));
	}

	override archive(now: number, loan: Loan): Promise<void> {
		return inEvent('cron archive', () => super.archive(now, countedLoan(loan)));
	}
}

export default { fetch: () => Response.json(takeEvents()) };
