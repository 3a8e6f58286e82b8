/** upng-js 2.1.0 has no types: these are for what we use of it. */
declare module 'upng-js' {
	const UPNG: {
		/**
		 * A PNG file. `frames`: RGBA of 8 bits, four bytes a pixel; one buffer for a picture that does not move.
		 * `colours`: to how many colours the picture is reduced; 0 keeps all.
		 */
		encode(frames: ArrayBuffer[], width: number, height: number, colours: number): ArrayBuffer;
		/** @throws also texts, where the file is damaged */
		decode(file: ArrayBuffer): object;
		/** RGBA of 8 bits, of each picture of what was decoded. */
		toRGBA8(decoded: object): ArrayBuffer[];
	};
	export default UPNG;
}
