/**
 * The functions that upng-js needs of the package pako (`alias` in `wrangler.toml`): the platform has zlib. It is looked
 * up when it is needed, because an import costs each isolate's start 4 ms.
 */
const zlib = () => process.getBuiltinModule('node:zlib');

/** No image that is read has more; a bomb ends here. */
export const MAX_INFLATED_BYTES = 2_200_000;

export const deflate = (data: Uint8Array): Uint8Array => zlib().deflateSync(data);

/** @throws where more comes out than an image may have, or the data is damaged */
export const inflate = (data: Uint8Array): Uint8Array =>
	new Uint8Array(zlib().inflateSync(data, { maxOutputLength: MAX_INFLATED_BYTES }));
