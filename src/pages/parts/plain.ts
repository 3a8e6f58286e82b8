/** Texts that others wrote, as they may be shown. Pure. */

/**
 * A character that is invisible, or turns the direction of the text around it, is shown as a sign of its own, so that
 * an address or a name cannot pass for another.
 */
export const shownPlain = (text: string): string =>
	text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, '\ufffd');
