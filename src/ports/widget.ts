/** The pages' question about a partner's widget, and its answer (`desk.ts`). */
import type { AssetId } from '../catalog/assets.ts';
import type { PayerOrder } from '../payer/order.ts';

/** The name, look and links that a partner shows to payers. */
export type Brand = PayerOrder['partner'];

/** Texts as the reader typed them. */
export interface WidgetAsked {
	readonly from: string;
	readonly to: string;
	/** The deposit, in coins of `from`; empty: no quote is asked for. */
	readonly amount: string;
	/** Null: no order is asked for. */
	readonly order: { readonly toAddress: string; readonly refundAddress: string } | null;
}

/** The quote of the partner API, as far as the widget shows it. */
export interface WidgetQuote {
	readonly from: { readonly amount: string; readonly usd: string; readonly min: string; readonly max: string };
	readonly to: { readonly amount: string };
}

/** `busy`: its unpaid orders are enough for now. `closed`: there is no price, or no such pair, or no new order is taken. */
export type WidgetProblem = 'amount' | 'below' | 'above' | 'toAddress' | 'refundAddress' | 'busy' | 'closed';

/** `none`: there is no such widget. */
export type WidgetAnswer =
	| {
			readonly is: 'shown';
			readonly brand: Brand;
			readonly frameOrigins: readonly string[];
			readonly receives: readonly AssetId[];
			readonly sends: readonly AssetId[];
			readonly quote: WidgetQuote | null;
			readonly problem: WidgetProblem | null;
			readonly order: { readonly id: string; readonly token: string } | null;
	  }
	| { readonly is: 'none' }
	| { readonly is: 'too many'; readonly retryAfterSeconds: number };
