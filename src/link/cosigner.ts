/** The signer's end of the link to the co-signer: each call is one signed POST of JSON. */
import type { JudgeVariables } from '../chains/judges.ts';
import { within } from '../platform/within.ts';
import { COSIGNER_CALLS, type Cosigner } from '../ports/cosigner.ts';
import { LinkError, type Other, post } from './post.ts';
import { type CosignerVariables, otherEnd } from './variables.ts';

export type CosignerEnd = Pick<JudgeVariables, 'COSIGNED' | 'judge'> &
	CosignerVariables & {
		/** Secret: the address of the co-signer, where one is asked. */
		readonly COSIGNER_URL?: string;
	};

const CALL_MILLISECONDS = 60_000;
/** After a call that hung, so long: the payments behind it in the same turn do not wait a minute each. */
const HUNG_MILLISECONDS = 30_000;

/**
 * Null where the signer decides alone, and in the co-signer, which asks nobody. Each call throws a LinkError, a
 * ConfigurationError, or what the co-signer threw.
 */
export function cosignerOf(env: CosignerEnd): Cosigner | null {
	if (!env.COSIGNED || env.judge === 'cosigner') return null;
	let hungUntil = 0;
	const late = () => {
		hungUntil = Date.now() + HUNG_MILLISECONDS;
		throw new LinkError('unreachable', 'cosigner', `no answer within ${CALL_MILLISECONDS / 1000} s`);
	};
	const calls = COSIGNER_CALLS.map((name) => [
		name,
		async (...given: unknown[]) => {
			if (Date.now() < hungUntil) throw new LinkError('unreachable', 'cosigner', 'the last call had no answer');
			return ask(otherEnd(env, 'cosigner', 'COSIGNER_URL', env.COSIGNER_URL), { call: name, given }, late);
		},
	]);
	return Object.fromEntries(calls) as Cosigner;
}

interface Call {
	readonly call: string;
	readonly given: readonly unknown[];
}

async function ask(other: Other, { call, given }: Call, late: () => never): Promise<unknown> {
	const text = await within(post(other, JSON.stringify({ call, given })), CALL_MILLISECONDS, late);
	const { answer, error } = JSON.parse(text) as { readonly answer?: unknown; readonly error?: string };
	if (error !== undefined) throw new TypeError(`the co-signer: ${error}`);
	return answer;
}
