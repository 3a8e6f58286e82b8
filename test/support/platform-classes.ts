/** `cloudflare:workers` outside the Workers runtime: classes of the platform that our own extend, and nothing in them. */
export class DurableObject {}
export class WorkerEntrypoint {}
export class RpcTarget {}
/** No call is traced. */
export const tracing = { getActiveSpan: () => undefined };
