/** Where alerts go, from the variables: read at each use, and judged like a partner's webhook URL. Pure. */
import { webhookUrlProblem } from '../../http/webhook-url.ts';
import type { OperatorEnv } from '../env.ts';

export type AlertVariables = Pick<
	OperatorEnv,
	'ALERT_WEBHOOK_URL' | 'ALERT_WEBHOOK_SECRET' | 'ALERT_QUIET_MINUTES' | 'WEBHOOK_LOOPBACK'
>;

export interface AlertTarget {
	readonly url: string;
	readonly secret: string;
}

export interface Problem {
	readonly variable: string;
	readonly problem: string;
	readonly effect: string;
}

/** As long as a key in hexadecimal would be with 64 bits. */
const MIN_SECRET_LENGTH = 16;
const DEFAULT_QUIET_MINUTES = 10;
const MAX_QUIET_MINUTES = 1_440;
const NOT_TOLD = 'nobody is told of what waits';

/** Null where alerts are off or their variables are wrong. */
export function alertTarget(env: AlertVariables): AlertTarget | null {
	const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = env;
	return url && secret && targetProblems(env).length === 0 ? { url, secret } : null;
}

/** Mistakes in the variables; nothing where alerts are off. */
export function alertProblems(env: AlertVariables): Problem[] {
	if (!env.ALERT_WEBHOOK_URL) return [];
	const quiet = quietMinutes(env.ALERT_QUIET_MINUTES);
	const problem = `ALERT_QUIET_MINUTES is not a whole number from 0 to ${MAX_QUIET_MINUTES}`;
	const effect = `it is ${DEFAULT_QUIET_MINUTES}`;
	return [...targetProblems(env), ...(quiet === null ? [{ variable: 'ALERT_QUIET_MINUTES', problem, effect }] : [])];
}

function targetProblems({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, WEBHOOK_LOOPBACK }: AlertVariables) {
	const wrong = url ? webhookUrlProblem(url, { loopbackAllowed: WEBHOOK_LOOPBACK === 'allowed' }) : 'is not set';
	const isLong = (secret?.length ?? 0) >= MIN_SECRET_LENGTH;
	const short = `ALERT_WEBHOOK_SECRET is missing or shorter than ${MIN_SECRET_LENGTH} characters`;
	return [
		...(wrong === null ? [] : [{ variable: 'ALERT_WEBHOOK_URL', problem: `the alert URL ${wrong}`, effect: NOT_TOLD }]),
		...(isLong ? [] : [{ variable: 'ALERT_WEBHOOK_SECRET', problem: short, effect: NOT_TOLD }]),
	];
}

/** How long something must be gone before it is told to be over, milliseconds. */
export const quietMilliseconds = (env: AlertVariables): number =>
	(quietMinutes(env.ALERT_QUIET_MINUTES) ?? DEFAULT_QUIET_MINUTES) * 60_000;

function quietMinutes(text: string | undefined): number | null {
	if (text === undefined) return DEFAULT_QUIET_MINUTES;
	const minutes = Number(text);
	return /^\d+$/.test(text) && minutes <= MAX_QUIET_MINUTES ? minutes : null;
}
