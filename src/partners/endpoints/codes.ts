/** `/api/v1/codes`: a partner's reference codes. The partner's gate is told of a change before it is answered. */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';
import { MAX_AFFTAX_BPS } from '../../money/bps.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { tellGate } from '../changes.ts';
import { EXAMPLE_CODE } from '../example.ts';
import { CODE_PATTERN } from '../partner.ts';
import { referenceCodeSchema } from '../schema.ts';
import { insertCode, newestCodes, setCodeEnabled } from '../store.ts';
import type { ReferenceCodeRow } from '../table.ts';

/** Unicode code points, which is also what SQLite's `length` counts in the table's own check. */
const MAX_LABEL_CHARACTERS = 64;

/**
 * Kept as it was sent but for a blank one, which becomes null whatever its length. U+0000 and lone surrogates are refused: no database keeps
 * them as they are.
 */
const label = z.lazy(() =>
	z
		.pipe(
			z.nullish(
				z.pipe(
					z.string().check(
						z.refine((text) => text.trim() === '' || [...text].length <= MAX_LABEL_CHARACTERS),
						z.refine((text) => text.isWellFormed() && !text.includes('\0')),
					),
					z.transform((text) => (text.trim() === '' ? null : text)),
				),
			),
			z.transform((text) => text ?? null),
		)
		.check(z.describe('Up to 64 characters, never shown to end users; an empty or blank one becomes null.')),
);

const newCodeBody = z.lazy(() =>
	z.object({
		code: z
			.string()
			.check(z.regex(CODE_PATTERN), z.describe('4 to 32 letters, digits, `_` or `-`; unique per partner.')),
		label,
		afftaxBps: z
			.pipe(
				optional(z.int().check(z.minimum(0), z.maximum(MAX_AFFTAX_BPS))),
				z.transform((bps) => bps ?? 0),
			)
			.check(z.describe('Afftax in basis points; 0, the default, falls through to the partner default.')),
	}),
);

/** Any text may be asked for: what cannot be a code is one that the partner does not have. */
const namedCodeBody = z.lazy(() => z.object({ code: z.string().check(z.describe('The code.')) }));

const codeView = ({ id, code, label, afftaxBps, enabled, createdAt }: ReferenceCodeRow) => ({
	id,
	code,
	label,
	afftaxBps,
	enabled,
	createdAt: new Date(createdAt).toISOString(),
});

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
