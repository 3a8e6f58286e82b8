/**
 * A partner's colour on the pages of their orders. Links and buttons have it, so its contrast is enforced: on light and on
 * dark pages it is the given colour, or the nearest shade of it that text may have (WCAG 2.2, 1.4.3). Pure.
 */

/** The backgrounds of `pages/style.css` that it stands on. A button's text has the second of them. */
export const BACKGROUNDS = {
	light: ['#f6f7fa', '#ffffff', '#f1f3f7'],
	dark: ['#0b0f16', '#131924', '#1b2330'],
} as const;
/** It also stands on backgrounds that have so much of itself. */
const TINT = 0.12;
/** The shades go towards it. Both pass. */
const TOWARDS = { light: '#000000', dark: '#ffffff' } as const;
const LEAST_CONTRAST = 4.5;
/** Steps from the colour to black or white. */
const STEPS = 100;

export interface Accent {
	readonly light: string;
	readonly dark: string;
}

/** `colour`: #rrggbb in lower case. */
export const accentOf = (colour: string): Accent => ({
	light: readable(colour, 'light'),
	dark: readable(colour, 'dark'),
});

function readable(colour: string, theme: keyof Accent): string {
	const shades = Array.from({ length: STEPS }, (_, step) => mixed(colour, TOWARDS[theme], step / STEPS));
	return shades.find((shade) => isReadable(shade, theme)) ?? TOWARDS[theme];
}

const isReadable = (shade: string, theme: keyof Accent): boolean =>
	BACKGROUNDS[theme].every((background) =>
		[background, mixed(background, shade, TINT)].every((one) => contrast(shade, one) >= LEAST_CONTRAST),
	);

const channels = (colour: string): readonly number[] =>
	[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** As `color-mix(in srgb, …)`. */
function mixed(one: string, other: string, share: number): string {
	const others = channels(other);
	const hex = channels(one).map((channel, i) => {
		const value = Math.round(channel + ((others[i] ?? 0) - channel) * share);
		return value.toString(16).padStart(2, '0');
	});
	return `#${hex.join('')}`;
}

/** From 1 to 21, as WCAG defines it. */
export function contrast(one: string, other: string): number {
	const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
	const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
		const share = channel / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
