/** A Markdown file as its text: wrangler.toml's rule, esbuild's loader and the tests' plugin all make it one. */
declare module '*.md' {
	const text: string;
	export default text;
}

/** A text file: the OpenAPI document. */
declare module '*.txt' {
	const text: string;
	export default text;
}

/** A picture, among the static files of the pages. */
declare module '*.png' {
	const bytes: Uint8Array;
	export default bytes;
}
