/** `POST /api/v1/codes`: a new reference code. */
import { databaseOf } from '../../platform/d1/database.ts';
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { newCodeBody } from '../codes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { referenceCodeSchema } from '../schema.ts';
import { insertCode } from '../store.ts';
import { answerChanged } from './changed-code.ts';

export const createCode = endpoint({
	method: 'POST',
	path: '/api/v1/codes',
	auth: 'required',
	weight: 1,
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
	tag: 'Reference codes',
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
