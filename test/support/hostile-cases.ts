/**
 * What is sent to an operation of the OpenAPI document that no good caller would send, and which answers are right.
 * `faults/hostile-input` sends a share of it, `npm run hostile` all of it and as much more as is asked for.
 */
import { gzipSync } from 'node:zlib';
import { type Extent, type HostileBody, hostileBodies } from './hostile.ts';
import type { Caller, HostileCall, PlainAnswer } from './hostile-calls.ts';
import { hostileHeaders, signedHeaders, WRONG_IDEMPOTENCY_KEYS } from './hostile-headers.ts';
import { BENT_PATHS, WRONG_METHODS } from './hostile-requests.ts';
import { faultIn, isRead, mayChange, REQUEST_ID, rightBody, type Target } from './hostile-target.ts';
import type { Credentials } from './partner.ts';

export interface HostileCase {
	readonly call: HostileCall;
	/** What is wrong with the answer; null for a right one. */
	readonly faultOf: (answer: PlainAnswer) => string | null;
}

/** The cases of one operation. */
export type CasesOf = (target: Target) => HostileCase[];

/** A description of each wrong answer; empty when all are right. */
export async function wrongAnswers(caller: Caller, cases: readonly HostileCase[]): Promise<string[]> {
	const answers = await caller.sendAll(cases.map(({ call }) => call));
	return answers.flatMap((answer, i) => {
		const fault = cases[i]?.faultOf(answer);
		return fault ? [`${cases[i]?.call.name}: ${fault}: ${answer.status} ${answer.text.slice(0, 200)}`] : [];
	});
}

/** One network may make sixty anonymous calls a minute. */
let anonymousCalls = 0;
export function unsignedHeaders(): Record<string, string> {
	const network = Math.floor(anonymousCalls++ / 50);
	return { 'cf-connecting-ip': `10.${(network >> 8) & 255}.${network & 255}.1` };
}

const callTo = (target: Target, what: string, bytes: Uint8Array, headers: HostileCall['headers']): HostileCall => {
	const { method, path } = target;
	return { name: `${method} ${path}, ${what}`.slice(0, 400), method, path, headers, bytes };
};

type IsRight = (status: number, code: number) => boolean;

/** The document decides, and then `isRight`. */
const documented =
	(target: Target, isRight: IsRight) =>
	(answer: PlainAnswer): string | null => {
		const code = Number(/^\{"code":(\d+),/.exec(answer.text)?.[1]);
		return faultIn(target, answer) ?? (isRight(answer.status, code) ? null : 'another answer');
	};

/** Code 4 says that the key may not do this: a public sandbox posts to no callback. */
const isSigned: IsRight = (status, code) => status !== 401 || code === 4;

/** Wrong bodies under right signatures. */
export const signedBodies = (partner: Credentials, target: Target, bodies: readonly HostileBody[]): HostileCase[] =>
	bodies.map(({ name, bytes }) => ({
		call: callTo(target, name, bytes, signedHeaders(partner, bytes)),
		faultOf: documented(
			target,
			(status, code) => isSigned(status, code) && status !== 429 && (code !== 0 || isRead(target)),
		),
	}));

/** Bodies that may be right, under right signatures. */
export const strangeBodies = (partner: Credentials, target: Target, bodies: readonly HostileBody[]): HostileCase[] =>
	// After a rotation the old secret could sign no further calls.
	(target.path === '/api/v1/keys/rotate' ? [] : bodies).map(({ name, bytes }) => ({
		call: callTo(target, name, bytes, signedHeaders(partner, bytes)),
		faultOf: documented(target, (status, code) => isSigned(status, code) && status !== 429),
	}));

export function unsignedBodies(target: Target, bodies: readonly HostileBody[]): HostileCase[] {
	const mustSign = target.operation.responses[401]?.description.includes('2 AUTH_REQUIRED');
	return bodies.map(({ name, bytes }) => ({
		call: callTo(target, name, bytes, unsignedHeaders()),
		faultOf: documented(target, (status, code) => (mustSign ? code === 2 : status !== 401 && status !== 429)),
	}));
}

/** The bodies that this operation must refuse, and those that it may accept. */
export function bodiesFor(target: Target, extent: Extent): Record<'wrong' | 'strange', HostileBody[]> {
	const bodies = hostileBodies(target.base ?? {}, target.fields, extent);
	const { wrong = [], strange = [] } = Object.groupBy(bodies, ({ bytes }) =>
		mayChange(target, bytes) ? 'strange' : 'wrong',
	);
	return { wrong, strange };
}

export const wrongHeaders =
	(partner: Credentials, isTaken?: (number: number) => boolean): CasesOf =>
	(target) =>
		hostileHeaders(partner, rightBody(target), isTaken).map(({ name, headers }) => ({
			call: callTo(target, name, rightBody(target), headers),
			faultOf: documented(target, (_, code) => code === 2 || code === 3),
		}));

export const otherEncodings =
	(partner: Credentials): CasesOf =>
	(target) =>
		['gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'x', ''].map((coding) => {
			const bytes = new Uint8Array(gzipSync(rightBody(target)));
			const more = { 'content-encoding': coding, 'content-type': `text/xml; charset=${coding}`, accept: coding };
			return {
				call: callTo(target, `encoded: ${coding}`, bytes, { ...signedHeaders(partner, bytes), ...more }),
				faultOf: documented(target, (_, code) => target.method === 'GET' || code === 1),
			};
		});

export const wrongIdempotencyKeys =
	(partner: Credentials): CasesOf =>
	(target) =>
		(target.path === '/api/v1/create' ? WRONG_IDEMPOTENCY_KEYS : []).map((key) => {
			const headers = { ...signedHeaders(partner, rightBody(target)), 'idempotency-key': key };
			return {
				call: callTo(target, `key ${key}`, rightBody(target), headers),
				faultOf: documented(target, (_, code) => code === 1),
			};
		});

/** Wrong methods and wrong paths, signed and not. */
export function elsewhere(
	partner: Credentials,
	targets: readonly Target[],
	isTaken: (number: number) => boolean = () => true,
): CasesOf {
	const paths = new Set(targets.map(({ path }) => path));
	return (target) => {
		const known = targets.filter(({ path }) => path === target.path).map(({ method }) => method);
		const methods = WRONG_METHODS.filter((method) => !known.includes(method)).map((method) => ({ ...target, method }));
		const bent = BENT_PATHS.filter((_, i) => isTaken(i)).map((bend) => ({ ...target, path: bend(target.path) }));
		return [...methods, ...bent].flatMap((other) =>
			[signedHeaders(partner, rightBody(target)), unsignedHeaders()].map((headers) => ({
				call: callTo(other, 'elsewhere', rightBody(target), headers),
				faultOf: ({ status, requestId, text }: PlainAnswer) => {
					const refusal = paths.has(other.path)
						? '405 {"code":1,"msg":"INVALID_REQUEST"}'
						: '404 {"code":6,"msg":"NOT_FOUND"}';
					return `${status} ${text}` === refusal && REQUEST_ID.test(requestId ?? '') ? null : 'another answer';
				},
			})),
		);
	};
}
