/** `cloudflare:workers` outside the Workers runtime: classes of the platform that our own extend. */
export class DurableObject {
	readonly ctx: unknown;
	readonly env: unknown;
	constructor(ctx: unknown, env: unknown) {
		this.ctx = ctx;
		this.env = env;
	}
}
export class WorkerEntrypoint {}
export class RpcTarget {}
/** No call is traced. */
export const tracing = { getActiveSpan: () => undefined };
