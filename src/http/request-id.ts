/** The id of each request, the same in its answer (`X-Request-Id`) and in the log; made at first use. */
export const REQUEST_ID = 'x-request-id';

const ids = new WeakMap<Request, string>();

export function requestIdOf(request: Request): string {
	const known = ids.get(request);
	if (known !== undefined) return known;
	const id = crypto.randomUUID();
	ids.set(request, id);
	return id;
}
