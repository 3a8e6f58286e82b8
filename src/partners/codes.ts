/** Reference codes as partners write and read them (book: contract, "Reference code" and the `codes` endpoints). Pure. */
import * as z from 'zod/mini';
import { optional } from '../http/optional.ts';
import { MAX_AFFTAX_BPS } from '../money/bps.ts';
import { CODE_PATTERN } from './partner.ts';
import type { ReferenceCodeRow } from './table.ts';

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

export const newCodeBody = z.lazy(() =>
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
export const namedCodeBody = z.lazy(() => z.object({ code: z.string().check(z.describe('The code.')) }));

export const codeView = ({ id, code, label, afftaxBps, enabled, createdAt }: ReferenceCodeRow) => ({
	id,
	code,
	label,
	afftaxBps,
	enabled,
	createdAt: new Date(createdAt).toISOString(),
});
