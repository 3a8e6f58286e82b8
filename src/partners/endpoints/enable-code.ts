/** `POST /api/v1/codes/enable`: enables a reference code. */
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { namedCodeBody } from '../codes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { referenceCodeSchema } from '../schema.ts';
import { setEnabled } from './changed-code.ts';

export const enableCode = endpoint({
	method: 'POST',
	path: '/api/v1/codes/enable',
	auth: 'required',
	weight: 1,
	id: 'enableCode',
	request: { schema: namedCodeBody },
	handle: (call, { code }) => setEnabled(call, code, true),
});

export const enableCodeDocs: EndpointDocs = () => ({
	tag: 'Reference codes',
	summary: 'Enable a reference code again',
	description: ['No change if it is enabled already. A code that you do not have returns code 6.'],
	example: { code: EXAMPLE_CODE.code },
	response: { data: referenceCodeSchema, description: 'The code as it now is.', example: EXAMPLE_CODE },
	errors: [1, 6],
});
