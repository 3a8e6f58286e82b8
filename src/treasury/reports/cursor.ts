/** Where a page of a report or an export ended, as text. Pure. */
import { jsonOrNull } from '../../platform/json.ts';

/** The values of the page's order: a time in Unix milliseconds, then ids. */
export type Cursor = readonly [number, ...string[]];

export const cursorText = (cursor: Cursor): string => JSON.stringify(cursor);

/** Null for text that no page of `ids` ids ended with. */
export function cursorOf(text: string, ids: number): Cursor | null {
	const parsed = jsonOrNull(text);
	if (!Array.isArray(parsed) || parsed.length !== ids + 1 || !Number.isSafeInteger(parsed[0])) return null;
	return parsed.slice(1).every((each) => typeof each === 'string') ? (parsed as unknown as Cursor) : null;
}

/** Times in Unix milliseconds: from `since` on and before `until`; after `after`, where a page went before. */
export interface PageOf {
	readonly since: number;
	readonly until: number;
	readonly after: Cursor | null;
}
