/**
 * The filter of the list of orders, as it stands in the address of the page. A part that makes no sense is left out.
 * Pure.
 */
import { ASSET_IDS, type AssetId } from '../../catalog/assets.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../orders/status.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';

export interface OrderFilter {
	readonly status?: OrderStatus | undefined;
	/** Unix milliseconds of the creation: from `since` on and before `until`. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	/** On either side. */
	readonly asset?: AssetId | undefined;
	readonly code?: string | undefined;
	readonly oldestFirst: boolean;
}

/** The last order of a page. */
export interface PageEnd {
	/** Unix milliseconds of its creation. */
	readonly at: number;
	readonly id: string;
}

/** As the reader wrote it, to show it again. */
export type Query = Readonly<Record<string, string>>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_TEXT = 200;
const PAGE_END = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** The first instant of a day, UTC. */
function dayStart(text: string | undefined): number | undefined {
	const at = text !== undefined && DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	return Number.isNaN(at) ? undefined : at;
}

export function filterOf(query: Query): OrderFilter {
	const { status, from, to, asset, code, sort } = query;
	const lastDay = dayStart(to);
	return {
		status: ORDER_STATUSES.find((known) => known === status),
		since: dayStart(from),
		until: lastDay === undefined ? undefined : lastDay + DAY_MILLISECONDS,
		asset: ASSET_IDS.find((known) => known === asset),
		code: code ? code.slice(0, MAX_TEXT) : undefined,
		oldestFirst: sort === 'oldest',
	};
}

export const searchText = ({ q = '' }: Query): string => q.trim().slice(0, MAX_TEXT);

export function pageEndOf({ after = '' }: Query): PageEnd | null {
	const [, at, id] = PAGE_END.exec(after) ?? [];
	return at !== undefined && id !== undefined ? { at: Number(at), id } : null;
}

/** The batch of the archive at which the search before ended. */
export function batchOf({ back = '' }: Query): number | null {
	return /^[1-9]\d{0,11}$/.test(back) ? Number(back) : null;
}

export const pageEndText = ({ at, id }: PageEnd): string => `${at}.${id}`;

/** The same page with other values; an empty one is left out. */
export function addressWith(path: string, query: Query, changes: Query): string {
	const entries = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== '');
	const text = new URLSearchParams(entries).toString();
	return text === '' ? path : `${path}?${text}`;
}

/** Transaction ids in hexadecimal mean the same in either case; those in base58 do not. */
export const inOneCase = (text: string): string => (/^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text);
