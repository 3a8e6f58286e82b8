/** The values that each request to the cabinet carries from its guards to its page. */
import type { Context, Hono } from 'hono';
import type { Role } from '../../partners/partner.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import type { PageEnv } from '../env.ts';
import type { Places } from './challenges.ts';
import type { Site } from './site.ts';

export interface Session {
	readonly hash: string;
	readonly id: string;
	readonly partnerId: string;
	readonly partnerName: string;
	readonly passkeyId: string;
	/** The person of the partner's team, and what they may do. */
	readonly member: string;
	readonly role: Role;
	/** The partner's orders that wait for their decision; at most 100 are counted. */
	readonly waiting: number;
	/** In every form: a page of another site cannot know it. */
	readonly formToken: string;
}

export interface CabinetEnv extends PageEnv {
	readonly Variables: { site: Site; session: Session /** The team's log has this request. */; isNoted: boolean };
}

export type CabinetContext = Context<CabinetEnv>;
export type CabinetApp = Hono<CabinetEnv>;

export const placesOf = ({ env }: CabinetContext): Places => ({ db: databaseOf(env), desk: env.desk });
