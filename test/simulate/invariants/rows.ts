/** Rows as the invariants read them: without the service, and without an effect. */
import type { Crowd } from '../people/crowd.ts';

export type Row = Record<string, unknown>;

export const rowsOf = ({ service }: Crowd, statement: string): Row[] => service.d1.rows(statement);
