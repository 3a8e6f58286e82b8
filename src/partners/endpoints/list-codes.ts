/** `GET /api/v1/codes`: the partner's reference codes. */
import * as z from 'zod/mini';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { codeView } from '../codes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { referenceCodeSchema } from '../schema.ts';
import { newestCodes } from '../store.ts';

export const listCodes = endpoint({
	method: 'GET',
	path: '/api/v1/codes',
	auth: 'required',
	weight: 1,
	id: 'listCodes',
	request: null,
	handle: async ({ env, partner }) => answer((await newestCodes(databaseOf(env), partner.id)).map(codeView)),
});

export const listCodesDocs: EndpointDocs = () => ({
	tag: 'Reference codes',
	summary: 'List your reference codes',
	description: ['No body: the signature is over zero bytes. Enabled and disabled, newest first, at most 100.'],
	response: {
		data: z.lazy(() => z.array(referenceCodeSchema).check(z.maxLength(100))),
		description: 'Your codes.',
		example: [EXAMPLE_CODE],
	},
	errors: [],
});
