/** The fields of `partner update` that are for the pages of orders, as one column. Pure. */
import { type OrderPageSettings, orderPageOf } from '../../partners/order-page.ts';
import type { PartnerRow } from '../../partners/table.ts';
import type { PartnerUpdate } from '../topics/partner.ts';

interface Split {
	/** Undefined where the update names none of them. */
	readonly orderPage: OrderPageSettings | undefined;
	readonly rest: Omit<
		PartnerUpdate,
		'orderPageFrames' | 'orderPageName' | 'orderPageReturn' | 'orderPageSupport' | 'payerDecides'
	>;
}

export function splitOrderPage(before: Pick<PartnerRow, 'orderPage'>, update: PartnerUpdate): Split {
	const { orderPageFrames, orderPageName, orderPageReturn, orderPageSupport, payerDecides, ...rest } = update;
	const named = {
		frameOrigins: orderPageFrames === null ? [] : orderPageFrames,
		name: orderPageName,
		returnUrl: orderPageReturn,
		support: orderPageSupport,
		payerDecides,
	};
	const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
	if (Object.keys(given).length === 0) return { orderPage: undefined, rest };
	return { orderPage: { ...orderPageOf(before, true), ...given }, rest };
}
