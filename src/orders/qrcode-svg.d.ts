/** qrcode-svg 1.1.0 has no types: these are for what we use of it. */
declare module 'qrcode-svg' {
	export default class QRCode {
		/** `ecl`: the error correction level. The smallest version that holds the content, or one larger. */
		constructor(options: { content: string; ecl: 'L' | 'M' | 'Q' | 'H' });
		/** The symbol without its quiet zone. */
		readonly qrcode: {
			/** Modules in a row and in a column. */
			getModuleCount(): number;
			/** @throws Error outside of the symbol. */
			isDark(row: number, column: number): boolean;
		};
	}
}
