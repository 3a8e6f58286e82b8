/** The form that a request brings. One that cannot be read is its sender's mistake: null, and not a failure of the page. */
import type { Context } from 'hono';

export const formOf = (c: Context): Promise<Readonly<Record<string, unknown>> | null> =>
	c.req.parseBody().catch(() => null);
