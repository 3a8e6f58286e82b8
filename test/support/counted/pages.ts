/** The pages Worker as it is deployed, which counts what it asks of the platform. */
import type { PagesEnv } from '../../../src/pages/env.ts';
import Worker from '../../../src/pages/index.ts';
import type { Desk } from '../../../src/ports/desk.ts';
import { countedEnv } from './bindings.ts';
import { inEvent, takeEvents } from './counter.ts';

export default class Pages extends Worker {
	constructor(ctx: ExecutionContext, env: PagesEnv) {
		super(ctx, countedEnv(env));
	}

	/** Where the counter asks it (`service.ts`). */
	override async fetch(): Promise<Response> {
		return Response.json(takeEvents());
	}

	override show(request: Request, desk: Desk): Promise<Response> {
		const { pathname } = new URL(request.url);
		return inEvent(`page ${request.method} ${pathname}`, () => super.show(request, desk));
	}
}
