/** The first step of every entry of a Worker: takes the log's level and the metrics' sink from its variables. */
import { setLogLevel } from '../log.ts';
import { type MetricsVariables, useMetrics } from './metric.ts';

export interface Observed extends MetricsVariables {
	/** `debug`, `info` (the default), `warn` or `error`: lines below it are not written. */
	readonly LOG_LEVEL?: string;
}

export function observe(env: Observed): void {
	setLogLevel(env.LOG_LEVEL);
	useMetrics(env);
}
