/** The QR image of a pay-in address (book: contract, "POST /api/v1/qr"): the same for as long as the order exists. */
import { base64 } from '@scure/base';
import { openedFromCache, sealedForCache } from '../crypto/cached.ts';
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { logError } from '../platform/log.ts';
import type { Env } from '../ports/env.ts';
import type { OrderRow } from './table.ts';

const PIXELS = 256;
const QUIET_ZONE_MODULES = 2;
const CACHE_SECONDS = 3600;
/** Opaque: red, green, blue and alpha, the highest byte last. */
const WHITE = 0xffffffff;
const BLACK = 0xff000000;
const ALL_COLOURS = 0;

/**
 * The order's image, drawn once and kept in KV for an hour. It is sealed for this order and this address, so that someone
 * who can write KV cannot lead a payer to another address. What does not open is drawn again. The caller has checked that
 * the partner may see the order, and that its seal holds.
 */
export async function orderQr(
	env: KeyVariables & Pick<Env, 'CACHE'>,
	{ id, payInAddress }: Pick<OrderRow, 'id' | 'payInAddress'>,
	background: (work: Promise<unknown>) => void,
): Promise<string> {
	const cache = env.CACHE;
	const keys = keyRing(env, 'SEAL_KEY');
	const key = `qr:${id}`;
	const place = ['qr', id, payInAddress];
	const kept = await cache.get(key).catch(() => null);
	const opened = kept === null ? null : await openedFromCache(keys, place, kept);
	if (opened !== null) return opened;
	const drawn = await qrPng(payInAddress);
	const keep = cache.put(key, await sealedForCache(keys, place, drawn), { expirationTtl: CACHE_SECONDS });
	background(keep.catch((error) => logError('qr_not_cached', error)));
	return drawn;
}

/**
 * A `data:` URL of 256 × 256 pixels, error correction level M. The symbol and its quiet zone fill the image, so a
 * module can be a pixel wider or narrower than its neighbour. The longest address leaves 5 pixels a module. The
 * libraries are evaluated at the first image, not at the start of each isolate.
 */
export async function qrPng(text: string): Promise<string> {
	const [{ default: QRCode }, { default: UPNG }] = await Promise.all([import('qrcode-svg'), import('upng-js')]);
	const { qrcode } = new QRCode({ content: text, ecl: 'M' });
	const modules = qrcode.getModuleCount();
	const scale = (modules + 2 * QUIET_ZONE_MODULES) / PIXELS;
	const moduleAt = (pixel: number) => Math.floor((pixel + 0.5) * scale) - QUIET_ZONE_MODULES;
	const axis = Array.from({ length: PIXELS }, (_, pixel) => moduleAt(pixel));
	const isInside = (module: number) => module >= 0 && module < modules;
	const isDark = (row: number, column: number) => isInside(row) && isInside(column) && qrcode.isDark(row, column);
	const pixels = axis.flatMap((row) => axis.map((column) => (isDark(row, column) ? BLACK : WHITE)));
	const rgba = Uint32Array.from(pixels).buffer;
	const png = new Uint8Array(UPNG.encode([rgba], PIXELS, PIXELS, ALL_COLOURS));
	return `data:image/png;base64,${base64.encode(png)}`;
}
