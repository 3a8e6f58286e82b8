/** The operator Worker as it is deployed, which counts what it asks of the platform. */

import * as worker from '../../../src/operator/index.ts';
import type { Asked, Lent } from '../../../src/operator/port.ts';
import { countedEnv, countedLent } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

type Minute = Parameters<worker.Operator['minute']>;

export class Operator extends worker.Operator {
	constructor(ctx: ExecutionContext, env: ConstructorParameters<typeof worker.Operator>[1]) {
		super(ctx, countedEnv(env));
	}

	override answer(request: Request, asked: Asked, lent: Lent): Promise<Response> {
		const label = `${request.method} ${new URL(request.url).pathname}`;
		return inEvent(label, () => super.answer(request, asked, countedLent(lent)));
	}

	override minute(agents: Minute[0], now: number, lent: Lent): Promise<void> {
		return inEvent('cron minute', () => super.minute(agents, now, countedLent(lent)));
	}

	override payPartners(now: number, lent: Lent): Promise<void> {
		return inEvent('cron payPartners', () => super.payPartners(now, countedLent(lent)));
	}

	override archive(now: number, lent: Lent): Promise<void> {
		return inEvent('cron archive', () => super.archive(now, countedLent(lent)));
	}
}

export default { fetch: () => Response.json(takeEvents()) };
