/** The port's `raw` for Monero: the bytes, and what is looked up for them. */
import * as z from 'zod/mini';

const RAW = z.lazy(() =>
	z.object({
		txId: z.string(),
		keyImages: z.array(z.string()),
		/** Key images that every version of the payment spends which may still be in a block: at most one of those can. */
		shared: z.array(z.string()),
		/** Hexadecimal. */
		tx: z.string(),
	}),
);
export type MoneroRaw = z.output<typeof RAW>;

export const encodeRaw = (raw: MoneroRaw): string => JSON.stringify(raw);

/** Null for any other text. */
export function decodeRaw(text: string): MoneroRaw | null {
	try {
		return RAW.parse(JSON.parse(text));
	} catch {
		return null;
	}
}
