/** `/api/v1/codes`: a partner's reference codes. The partner's gate is told of a change before it is answered. */
import * as z from 'zod/mini';
import { databaseOf } from '../../platform/d1/database.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { tellGate } from '../changes.ts';
import { codeView, namedCodeBody, newCodeBody } from '../codes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { CODE_PATTERN } from '../partner.ts';
import { referenceCodeSchema } from '../schema.ts';
import { insertCode, newestCodes, setCodeEnabled } from '../store.ts';
import type { ReferenceCodeRow } from '../table.ts';

const COMMON = { auth: 'required', weight: 1 } as const;
const TAG = 'Reference codes';

export const createCode = endpoint({
	...COMMON,
	admits: ['server'],
	method: 'POST',
	path: '/api/v1/codes',
	id: 'createCode',
	request: { schema: newCodeBody },
	handle: async (call, input) => {
		const fresh = { ...input, id: crypto.randomUUID(), partnerId: call.partner.id, createdAt: call.now };
		const outcome = await insertCode(databaseOf(call.env), fresh);
		if (outcome === 'code taken') return { kind: 'code-taken' };
		if (outcome === 'limit') return { kind: 'code-limit' };
		return answerChanged(call, outcome);
	},
});

export const createCodeDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Create a reference code',
	description: [
		'- A code that you already have returns code 1.',
		'- At the maximum number of codes (default 50, disabled ones included): code 13.',
		'- An empty or whitespace-only label becomes null.',
		'- `afftaxBps` 0, the default, falls through to the partner default.',
	],
	example: { code: EXAMPLE_CODE.code, label: EXAMPLE_CODE.label, afftaxBps: EXAMPLE_CODE.afftaxBps },
	response: { data: referenceCodeSchema, description: 'The new code.', example: EXAMPLE_CODE },
	errors: [1, 2, 3, 4, 5, 13, 99],
});

export const listCodes = endpoint({
	...COMMON,
	admits: ['read', 'server'],
	method: 'GET',
	path: '/api/v1/codes',
	id: 'listCodes',
	request: null,
	handle: async ({ env, partner }) => answer((await newestCodes(databaseOf(env), partner.id)).map(codeView)),
});

export const listCodesDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'List your reference codes',
	description: ['No body: the signature is over zero bytes. Enabled and disabled, newest first, at most 100.'],
	response: {
		data: z.lazy(() => z.array(referenceCodeSchema).check(z.maxLength(100))),
		description: 'Your codes.',
		example: [EXAMPLE_CODE],
	},
	errors: [],
});

export const disableCode = endpoint({
	...COMMON,
	admits: ['server'],
	method: 'DELETE',
	path: '/api/v1/codes',
	id: 'disableCode',
	request: { schema: namedCodeBody },
	handle: (call, { code }) => setEnabled(call, code, false),
});

export const disableCodeDocs: EndpointDocs = () => ({
	...changedDocs(false),
	summary: 'Disable a reference code',
	description: [
		'Keeps the record; may be repeated. A disabled code is still listed, and a call with it in `X-API-KEY` returns code 3.',
	],
});

export const enableCode = endpoint({
	...COMMON,
	admits: ['server'],
	method: 'POST',
	path: '/api/v1/codes/enable',
	id: 'enableCode',
	request: { schema: namedCodeBody },
	handle: (call, { code }) => setEnabled(call, code, true),
});

export const enableCodeDocs: EndpointDocs = () => ({
	...changedDocs(true),
	summary: 'Enable a reference code again',
	description: ['No change if it is enabled already. A code that you do not have returns code 6.'],
});

const changedDocs = (enabled: boolean): Omit<ReturnType<EndpointDocs>, 'summary' | 'description'> => ({
	tag: TAG,
	example: { code: EXAMPLE_CODE.code },
	response: { data: referenceCodeSchema, description: 'The code as it now is.', example: { ...EXAMPLE_CODE, enabled } },
	errors: [1, 6],
});

async function setEnabled(call: SignedCall, code: string, enabled: boolean): Promise<Answer> {
	const db = databaseOf(call.env);
	if (!CODE_PATTERN.test(code)) return { kind: 'code-unknown' };
	// First, because the gate puts back into the database what it takes for disabled.
	if (enabled && !(await tellGate(call.env, call.partner.id, { code, enabled }))) return { kind: 'gate-not-told' };
	const row = await setCodeEnabled(db, call.partner.id, code, enabled);
	return row ? answerChanged(call, row) : { kind: 'code-unknown' };
}

/**
 * The record is stored; the answer follows when the gate, too, admits by it. If the gate does not answer, the caller gets
 * 99 and repeats: disabling and enabling tell the gate again, creating answers 1 and the list has the code. The gate
 * reads the record again by itself within a minute.
 */
async function answerChanged({ env, partner }: SignedCall, row: ReferenceCodeRow): Promise<Answer> {
	return (await tellGate(env, partner.id, row)) ? answer(codeView(row)) : { kind: 'gate-not-told' };
}
