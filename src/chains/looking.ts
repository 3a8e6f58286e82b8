import type { Look } from './port.ts';

/** The part of a network that everybody sees, with what a family's watching shares with it. */
export type Looking<Scanning> = { readonly look: Look; readonly scanning: Scanning };
