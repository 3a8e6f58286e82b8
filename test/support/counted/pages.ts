/** The pages Worker as it is deployed, which counts what it asks of the platform. */

import type { PagesEnv } from '../../../src/pages/env.ts';
import * as worker from '../../../src/pages/index.ts';
import type { Desk } from '../../../src/ports/desk.ts';
import { countedEnv } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

export class Pages extends worker.Pages {
	constructor(ctx: ExecutionContext, env: PagesEnv) {
		super(ctx, countedEnv(env));
	}

	override show(request: Request, desk: Desk): Promise<Response> {
		const { pathname } = new URL(request.url);
		return inEvent(`page ${request.method} ${pathname}`, () => super.show(request, desk));
	}
}

export default { fetch: () => Response.json(takeEvents()) };
