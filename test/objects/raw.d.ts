/** A file as text, as vitest imports it. */
declare module '*?raw' {
	const text: string;
	export default text;
}
