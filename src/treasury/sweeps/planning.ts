/** The means of planning background work: sweeps and consolidations. */
import type { Market } from '../../pricing/market.ts';
import type { Connection } from '../connection.ts';
import type { Timing } from './cheap-hours.ts';

export interface Planning extends Connection {
	/** Null while there is none: then nothing is planned, and what was due stays due. */
	readonly market: Market | null;
	/** Unix milliseconds. */
	readonly now: number;
}

export interface SweepPlanning extends Planning {
	readonly timing: Timing;
}
