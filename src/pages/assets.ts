/**
 * The stylesheet and the browsers' scripts, under `/assets/<hash>/<name>`: the hash is of the text, so an address never
 * changes what it says, and a browser keeps it for good.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import copy from './browser/copy.browser.js';
import passkey from './browser/passkey.browser.js';
import search from './browser/search.browser.js';
import signature from './browser/signature.browser.js';
import time from './browser/time.browser.js';
import style from './style.css';

interface Asset {
	readonly text: string;
	readonly type: string;
}

/** Without comments and line breaks: blanks between words stay. */
function compact(css: string): string {
	return css
		.replaceAll(/\/\*[\s\S]*?\*\//g, '')
		.replaceAll(/\s*\n\s*/g, ' ')
		.replaceAll(/ ?([{};]) ?/g, '$1');
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Every file, by its name. */
const ASSETS = {
	'style.css': { text: compact(style), type: CSS },
	'copy.js': { text: copy, type: SCRIPT },
	'search.js': { text: search, type: SCRIPT },
	'signature.js': { text: signature, type: SCRIPT },
	'passkey.js': { text: passkey, type: SCRIPT },
	'time.js': { text: time, type: SCRIPT },
} as const satisfies Record<string, Asset>;

export type AssetName = keyof typeof ASSETS;
export type ScriptName = Exclude<AssetName, 'style.css'>;

const HASH_LENGTH = 12;
const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, HASH_LENGTH);

const PATHS: ReadonlyMap<string, Asset> = new Map(
	Object.entries<Asset>(ASSETS).map(([name, asset]) => [`/assets/${hashOf(asset.text)}/${name}`, asset]),
);
const PATH_BY_NAME = new Map([...PATHS.keys()].map((path) => [path.slice(path.lastIndexOf('/') + 1), path]));

export const assetPath = (name: AssetName): string => PATH_BY_NAME.get(name) ?? '';

/** Null for an address that names no file, or an older one. */
export function assetAt(path: string): Response | null {
	const asset = PATHS.get(path);
	if (!asset) return null;
	return new Response(asset.text, {
		headers: {
			'content-type': asset.type,
			'cache-control': 'public, max-age=31536000, immutable',
			'x-content-type-options': 'nosniff',
		},
	});
}
