/** Shapes that the answers of several families have in common. */
import * as z from 'zod/mini';

export const natural = z.lazy(() => z.int().check(z.nonnegative()));

/** Text of this form, as `read` reads it. */
export const written = <T>(form: RegExp, read: (text: string) => T) =>
	z.lazy(() =>
		z.pipe(
			z.string().check(z.regex(form)),
			z.transform((text) => read(text)),
		),
	);

/** A number, or text of at most so many digits where a double cannot hold the number (json-rpc.ts). */
export const whole = (digits: number) =>
	z.lazy(() => {
		const text = z.string().check(z.regex(new RegExp(`^\\d{1,${digits}}$`)));
		return z.pipe(
			z.union([natural, text]),
			z.transform((units) => BigInt(units)),
		);
	});
