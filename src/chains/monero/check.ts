/** One answer of `network check`: what was asked, and what came of it. */
import type { NetworkCheck } from '../port.ts';

/** `ask`: the detail, or what is wrong, thrown. */
export async function checked(what: string, ask: () => Promise<string>): Promise<NetworkCheck> {
	try {
		return { what, ok: true, detail: await ask() };
	} catch (error) {
		return { what, ok: false, detail: error instanceof Error ? error.message : String(error) };
	}
}
