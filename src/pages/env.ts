/** Bindings of the pages Worker (`wrangler.toml` beside this file), and what a page's code is given. */
import type { Desk } from '../ports/desk.ts';

export interface PagesEnv {
	readonly DB: D1Database;
	/** The built files, which the platform serves without this Worker where they are asked for by their address. */
	readonly ASSETS: Fetcher;
	/** Which version of the code this is. */
	readonly VERSION?: WorkerVersionMetadata;
}

/** For Hono. */
export interface PageEnv {
	readonly Bindings: PagesEnv & { readonly desk: Desk };
}
