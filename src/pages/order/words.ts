/** Amounts, rates and waits as people read them. Pure. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { decimal, plain, significantDown } from '../../money/decimal.ts';

export const coinOf = (code: string): string => assetOf(code as AssetId).coin;

/** `0.05 BTC`: a number and its unit stay on one line. */
export const coins = (amount: string, code: string): string => `${amount}\u00A0${coinOf(code)}`;

/** `0.05 BTC (Bitcoin)`: where a payer must not take the wrong network. */
export const coinsOn = (amount: string, { code, network }: { readonly code: string; readonly network: string }) =>
	`${coins(amount, code)} (${network})`;

const RATE_DIGITS = 8;

/** `1 BTC ≈ 29.537912 ETH`: rounded down, and said so; where nothing is left out, `=`. */
export function rateText(rate: string, from: string, to: string): string {
	const shown = plain(significantDown(decimal(rate), RATE_DIGITS));
	return `${coins('1', from)} ${shown === rate ? '=' : '≈'} ${coins(shown, to)}`;
}

const plural = (count: number, one: string): string => `${count}\u00A0${one}${count === 1 ? '' : 's'}`;

/** `about 10 minutes`, `about 2 hours`. */
export function aboutMinutes(minutes: number): string {
	if (minutes <= 1) return 'about a minute';
	return minutes < 90 ? `about ${minutes}\u00A0minutes` : `about ${plural(Math.round(minutes / 60), 'hour')}`;
}

const SHORT = 'less than a minute';

/** `47 minutes`: whole ones, down, and `less than a minute` at the end. */
export function minutesLeft(seconds: number): string {
	const minutes = Math.floor(seconds / 60);
	return minutes === 0 ? SHORT : plural(minutes, 'minute');
}

/** `less than a minute`, `12 minutes`, `3 hours and 5 minutes`: from one moment to another, seconds. */
export function tookText(seconds: number): string {
	if (seconds < 60) return SHORT;
	const minutes = Math.round(seconds / 60);
	const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
	if (hours === 0) return plural(minutes, 'minute');
	return rest === 0 ? plural(hours, 'hour') : `${plural(hours, 'hour')} and ${plural(rest, 'minute')}`;
}
