/**
 * Where the stylesheet, the fonts and the browsers' scripts are: each name has a hash of what is in the file, so an address never
 * changes what it says, and a browser keeps it for good (`local/static-pages.ts` makes them).
 */
import paths from '../../.wrangler/pages/paths.json';

export type ScriptName =
	| 'attention.js'
	| 'copy.js'
	| 'nav.js'
	| 'order.js'
	| 'passkey.js'
	| 'promise.js'
	| 'samples.js'
	| 'search.js'
	| 'signature.js'
	| 'time.js'
	| 'try.js';

/** That of all pages, and what the front page and the docs have beside it. */
export type StyleName = 'style.css' | 'front.css' | 'docs.css';
/** A part of Manrope, named after the letters that it has. */
export type FontName = `manrope-${'latin' | 'latin-ext' | 'cyrillic'}-wght-normal.woff2`;

export const assetPath = (name: ScriptName | FontName | StyleName): string => paths[name];
