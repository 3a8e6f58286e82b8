/**
 * Answers a call once this isolate knows where each network runs (`chains/told.ts`). Where the agents Worker does not say it,
 * nothing is judged by a guess: the call is refused. A command of the operator goes on, and finds out what is wrong.
 */
import { withNetworks } from '../chains/told.ts';
import type { OwnApiEnv } from '../ports/env.ts';
import { type Asked, unhealthy } from './serve.ts';

/** Answers a call of one method and path. @throws what the endpoint throws */
export type Answering = (asked: Asked) => Response | Promise<Response>;

/** `failed`: answers for what was thrown. Without a promise where nothing has to be waited for. */
export function knowingNetworks(
	own: Asked & { readonly env: OwnApiEnv },
	answer: Answering,
	failed: (error: unknown, asked: Asked) => Response,
): Response | Promise<Response> {
	const { path } = own.req;
	const env = withNetworks(own.env, (work) => own.executionCtx.waitUntil(work));
	if (!(env instanceof Promise)) return answer({ ...own, env });
	return env.then(
		(known) => answer({ ...own, env: known }),
		(error: unknown) => {
			if (path === '/healthz') return unhealthy();
			return path.startsWith('/operator/v1/') ? answer(own) : failed(error, own);
		},
	);
}
