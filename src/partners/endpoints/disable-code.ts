/** `DELETE /api/v1/codes`: disables a reference code. */
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { namedCodeBody } from '../codes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { referenceCodeSchema } from '../schema.ts';
import { setEnabled } from './changed-code.ts';

export const disableCode = endpoint({
	method: 'DELETE',
	path: '/api/v1/codes',
	auth: 'required',
	weight: 1,
	id: 'disableCode',
	request: { schema: namedCodeBody },
	handle: (call, { code }) => setEnabled(call, code, false),
});

export const disableCodeDocs: EndpointDocs = () => ({
	tag: 'Reference codes',
	summary: 'Disable a reference code',
	description: [
		'Keeps the record; may be repeated. A disabled code is still listed, and a call with it in `X-API-KEY` returns code 3.',
	],
	example: { code: EXAMPLE_CODE.code },
	response: {
		data: referenceCodeSchema,
		description: 'The code as it now is.',
		example: { ...EXAMPLE_CODE, enabled: false },
	},
	errors: [1, 6],
});
