/** Amounts, rates and waits as people read them. Pure. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { decimal, plain, significantDown } from '../../money/decimal.ts';
import type { PayerOrder } from '../../payer/order.ts';
import type { Say } from '../say.ts';

export const coinOf = (code: string): string => assetOf(code as AssetId).coin;

/** `0.05 BTC`: a number and its unit stay on one line. */
export const coins = (amount: string, code: string): string => `${amount}\u00A0${coinOf(code)}`;

/** `0.05 BTC (Bitcoin)`: where a payer must not take the wrong network. */
export const coinsOn = (amount: string, { code, network }: { readonly code: string; readonly network: string }) =>
	`${coins(amount, code)} (${network})`;

/** The least that the order's own amount may bring; null without a floor. */
export const floorText = ({ minToAmount, to }: PayerOrder['order']): string | null =>
	minToAmount === undefined ? null : coins(minToAmount, to.code);

/** The same where what came would have brought less, so that it goes back. */
export const missedFloor = ({ order, missesFloor }: PayerOrder): string | null =>
	missesFloor ? floorText(order) : null;

/** `BTC (Bitcoin)`. */
export const coinOn = ({ code, network }: { readonly code: string; readonly network: string }) =>
	`${coinOf(code)} (${network})`;

/** Where a form of the order's page goes: its answer is in the page's language. */
export const pathOf = (id: string, { language }: Say): string => `/o/${encodeURIComponent(id)}?lang=${language}`;

const RATE_DIGITS = 8;

/** `1 BTC ≈ 29.537912 ETH`: rounded down, and said so; where nothing is left out, `=`. */
export function rateText(rate: string, from: string, to: string): string {
	const shown = plain(significantDown(decimal(rate), RATE_DIGITS));
	return `${coins('1', from)} ${shown === rate ? '=' : '≈'} ${coins(shown, to)}`;
}

/** `about 10 minutes`, `about 2 hours`. */
export const aboutMinutes = (say: Say, minutes: number): string =>
	minutes < 90
		? say('time.aboutMinutes', { minutes: Math.max(1, minutes) })
		: say('time.aboutHours', { hours: Math.round(minutes / 60) });

/** `less than a minute`, `12 minutes`, `3 hours and 5 minutes`: from one moment to another, seconds. */
export function tookText(say: Say, seconds: number): string {
	if (seconds < 60) return say('time.short');
	const all = Math.round(seconds / 60);
	const [hours, minutes] = [Math.floor(all / 60), all % 60];
	if (hours === 0) return say('time.minutes', { minutes });
	return minutes === 0 ? say('time.hours', { hours }) : say('time.hoursAndMinutes', { hours, minutes });
}

/** An address that a browser saves as a file. */
export const savedAs = (file: object): string =>
	`data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(file, null, '\t')}\n`)}`;
