/** The fields of a scoped key that its maker writes (book: contract, "Scoped keys"). Pure. */
import * as z from 'zod/mini';
import { isBlock } from '../http/address-blocks.ts';

const MAX_BLOCKS = 16;
const MAX_LABEL_CHARACTERS = 64;
/** Nothing that is invisible, or that turns the direction of a text. */
const VISIBLE = /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;

export const keyLabel = z.lazy(() =>
	z.string().check(
		z.minLength(1),
		z.maxLength(MAX_LABEL_CHARACTERS),
		// No pattern in the document: many readers of one know no classes of Unicode.
		z.refine((text) => VISIBLE.test(text), `must be 1 to ${MAX_LABEL_CHARACTERS} visible characters`),
	),
);

export const keyBlocks = z.lazy(() =>
	z
		.array(z.string().check(z.refine(isBlock, 'is no address, and no block such as 192.0.2.0/24 or 2001:db8::/32')))
		.check(z.maxLength(MAX_BLOCKS)),
);
