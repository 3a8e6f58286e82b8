/** Files as their text: the rules in wrangler.toml, esbuild's loaders and the tests' plugin all make them one. */
declare module '*.css' {
	const text: string;
	export default text;
}
declare module '*.browser.js' {
	const text: string;
	export default text;
}
