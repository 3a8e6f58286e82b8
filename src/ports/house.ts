/** The words of a signer in a house of its own, for who shows them. */

/** The link's errors begin with it: a signer in a house of its own did not answer, or was not believed. */
export const HOUSE_SAYS = "the signer's house: ";

/** Where the signer is in a house of its own. */
export interface Housed {
	/** The version of the link, and milliseconds of a whole call by the link's clock. */
	readonly house?: { readonly version: string; readonly milliseconds: number };
}
