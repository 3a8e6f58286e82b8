/** Why a command cannot work on an order that D1 does not have. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type ArchiveEnv, findArchived } from '../../archive/find.ts';
import { type Failure, fail } from '../command.ts';

/** @throws where the archive cannot be read */
export const archivedOrNone = async (db: DrizzleD1Database, env: ArchiveEnv, id: string): Promise<Failure> =>
	(await findArchived(db, env, id))
		? fail(409, `order ${id} is archived and does not change any more; order show reads it`)
		: fail(404, `there is no order ${id}`);
