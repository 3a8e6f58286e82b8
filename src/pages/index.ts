/**
 * The pages Worker: all that people see in a browser. It has no route of its own: only the API Worker's service binding
 * reaches it. A Worker of its own, so that no page costs the API's start, memory or bundle anything, and so that no code
 * that reads forms and draws HTML stands beside a key. No logic here.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import { configurationProblems } from '../configuration/check.ts';
import { type CodeVersion, codeVersion } from '../platform/d1/code-version.ts';
import { inSpan } from '../platform/span.ts';
import type { Desk, PagesState } from '../ports/desk.ts';
import { createPages } from './app.tsx';
import type { PagesEnv } from './env.ts';

const pages = createPages();

export default class Pages extends WorkerEntrypoint<PagesEnv> {
	/** A page that is the same for everybody, where none is built: the search, or that there is none. */
	override async fetch(request: Request): Promise<Response> {
		return inSpan('page', async () => pages.fetch(request, this.env, this.ctx));
	}

	/** `desk`: what this request may ask of the API Worker; it ends with the call. */
	async show(request: Request, desk: Desk): Promise<Response> {
		return inSpan('page', async () => pages.fetch(request, { ...this.env, desk }, this.ctx));
	}

	async version(): Promise<CodeVersion> {
		return codeVersion(this.env);
	}

	async examine(): Promise<PagesState> {
		return { problems: configurationProblems(this.env, 'pages') };
	}
}
