/** What the object that watches gives a family that keeps a book of coins: storage of its own, in memory. */
import type { Before, Keeping } from '../../src/chains/watching-port.ts';
import { sqliteStorage } from './sqlite-storage.ts';

export const keepingOf = (before: Partial<Before> = {}, storage = sqliteStorage()): Keeping => ({
	storage,
	before: async () => ({ isAgain: false, from: null, addresses: [], ...before }),
	isHeld: () => false,
});
