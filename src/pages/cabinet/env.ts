/** What each request to the cabinet carries from its guards to its page. */
import type { Context } from 'hono';
import type { PageEnv } from '../env.ts';
import type { Session } from './session.ts';
import type { Site } from './site.ts';

export interface CabinetEnv extends PageEnv {
	readonly Variables: { site: Site; session: Session };
}

export type CabinetContext = Context<CabinetEnv>;
