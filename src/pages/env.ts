/** Bindings and variables of the pages Worker (`wrangler.toml` beside this file), and what a page's code is given. */
import type { Desk } from './desk.ts';

export interface PagesEnv {
	readonly DB: D1Database;
	/** Which version of the code this is. */
	readonly VERSION?: WorkerVersionMetadata;
	/** With both, the console is behind Cloudflare Access: `example.cloudflareaccess.com` and the application's tag. */
	readonly ACCESS_TEAM_DOMAIN?: string;
	readonly ACCESS_AUDIENCE?: string;
	/** `on` opens the console, without Access, to who has the operator's token. */
	readonly CONSOLE_TOKEN_SIGN_IN?: string;
}

/** For Hono. */
export interface PageEnv {
	readonly Bindings: PagesEnv & { readonly desk: Desk };
}
