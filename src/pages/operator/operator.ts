/** Who is at the console, as the desk says it, and what a page of the console has with each request. */
import type { Operator } from '../../ports/desk.ts';
import type { PageEnv } from '../env.ts';

export interface ConsoleEnv extends PageEnv {
	readonly Variables: { operator: Operator };
}
