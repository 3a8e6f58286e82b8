/**
 * Writes a partner's settings for the pages of their orders. They are sealed: a setting that the change does
 * not name comes from D1, and only where its seal holds, for who writes D1 could have put another one there.
 */
import { type OrderPageSettings, openedOrderPage, sealOrderPage } from '../../partners/order-page.ts';
import type { PartnerRow } from '../../partners/table.ts';
import type { Context } from '../command.ts';
import type { PartnerUpdate } from '../topics/partner.ts';

/** The field of the update, by the setting. */
const FIELDS = {
	frameOrigins: 'orderPageFrames',
	name: 'orderPageName',
	returnUrl: 'orderPageReturn',
	support: 'orderPageSupport',
	terms: 'orderPageTerms',
	accent: 'orderPageAccent',
	logo: 'orderPageLogo',
	widgetBps: 'widgetBps',
	widgetUsd: 'widgetUsd',
	language: 'orderPageLanguage',
	payerDecides: 'payerDecides',
} as const satisfies Record<keyof OrderPageSettings, keyof PartnerUpdate>;

const OF_PAGES: ReadonlySet<string> = new Set(Object.values(FIELDS));

/** A partner sets a logo in the cabinet; an operator only takes it off. */
export type PageUpdate = Omit<PartnerUpdate, 'orderPageLogo'> & { readonly orderPageLogo?: string | null | undefined };

/** The fields that are columns of their own. */
export type ColumnUpdate = Omit<PageUpdate, (typeof FIELDS)[keyof typeof FIELDS]>;

export const columnsIn = (update: PageUpdate): ColumnUpdate =>
	Object.fromEntries(Object.entries(update).filter(([name]) => !OF_PAGES.has(name))) as ColumnUpdate;

/** The settings as they are to be, whole; undefined where the update names none of them. */
export async function wantedPage(
	{ env }: Context,
	before: PartnerRow,
	update: PageUpdate,
): Promise<OrderPageSettings | undefined> {
	const named = Object.entries(FIELDS).map(([setting, field]) => [setting, update[field]] as const);
	const given = named.filter(([, value]) => value !== undefined);
	if (given.length === 0) return undefined;
	const stored = { ...before, partnerId: before.id };
	const settings = { ...(await openedOrderPage(env.askedKeys(), stored, true)), ...Object.fromEntries(given) };
	return { ...settings, frameOrigins: settings.frameOrigins ?? [] };
}

/** Sealed again by each change that names one of them: one that changes nothing mends a seal that is missing. */
export const pageColumns = async (
	{ env }: Context,
	{ id }: PartnerRow,
	orderPage: OrderPageSettings | undefined,
): Promise<Partial<Pick<PartnerRow, 'orderPage' | 'orderPageSeal'>>> =>
	orderPage ? { orderPage, orderPageSeal: await sealOrderPage(env.askedKeys(), id, orderPage) } : {};
