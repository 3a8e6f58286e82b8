/** What the reference says of the `codes` endpoints and of `keys/rotate` (spec, "Endpoints"). */
import * as z from 'zod';
import type { EndpointDocs } from '../docs/endpoint-docs.ts';
import { namedCodeBody, newCodeBody } from './codes.ts';
import { referenceCodeSchema, rotateBody, rotatedSchema } from './schema.ts';

const CODE = {
	id: '3b6b1c56-7a53-4d0c-9df8-2c6e9a0f4b77',
	code: 'newsletter',
	label: 'Newsletter, autumn',
	afftaxBps: 75,
	enabled: true,
	createdAt: '2026-11-20T12:00:00.000Z',
};

export const createCodeDocs: EndpointDocs = {
	id: 'createCode',
	tag: 'Reference codes',
	summary: 'Create a reference code',
	description: [
		'- A code that you already have returns code 1.',
		'- At the maximum number of codes (default 50, disabled ones included): code 13.',
		'- An empty or whitespace-only label becomes null.',
		'- `afftaxBps` 0, the default, falls through to the partner default.',
	],
	request: { schema: newCodeBody, example: { code: CODE.code, label: CODE.label, afftaxBps: CODE.afftaxBps } },
	response: { data: referenceCodeSchema, description: 'The new code.', example: CODE },
	errors: [1, 2, 3, 4, 5, 13, 99],
};

export const listCodesDocs: EndpointDocs = {
	id: 'listCodes',
	tag: 'Reference codes',
	summary: 'List your reference codes',
	description: ['No body: the signature is over zero bytes. Enabled and disabled, newest first, at most 100.'],
	request: null,
	response: { data: z.array(referenceCodeSchema).max(100), description: 'Your codes.', example: [CODE] },
	errors: [],
};

export const disableCodeDocs: EndpointDocs = {
	id: 'disableCode',
	tag: 'Reference codes',
	summary: 'Disable a reference code',
	description: [
		'Keeps the record; may be repeated. A disabled code is still listed, and a call with it in `X-API-KEY` returns code 3.',
	],
	request: { schema: namedCodeBody, example: { code: CODE.code } },
	response: { data: referenceCodeSchema, description: 'The code as it now is.', example: { ...CODE, enabled: false } },
	errors: [1, 6],
};

export const enableCodeDocs: EndpointDocs = {
	id: 'enableCode',
	tag: 'Reference codes',
	summary: 'Enable a reference code again',
	description: ['No change if it is enabled already. A code that you do not have returns code 6.'],
	request: { schema: namedCodeBody, example: { code: CODE.code } },
	response: { data: referenceCodeSchema, description: 'The code as it now is.', example: CODE },
	errors: [1, 6],
};

export const rotateKeysDocs: EndpointDocs = {
	id: 'rotateKeys',
	tag: 'Keys',
	summary: 'Rotate your secrets',
	description: [
		'Sign with the current apiSecret. The old value is invalid at once; there is no overlap window, and in-flight requests',
		'signed with it return code 3. Of two concurrent calls the loser gets code 14.',
	],
	request: { schema: rotateBody, example: { rotate: ['apiSecret'] } },
	response: {
		data: rotatedSchema,
		description: 'The new secrets, shown this once.',
		example: { apiSecret: 'N0wYouSeeMeOnlyThisOnce-k3ep-me-in-a-vault_' },
	},
	errors: [1, 2, 3, 4, 5, 14, 99],
};
