/** Made before the Worker is bundled (`local/static-pages.ts`): where each asset is, and the compiled English sentences. */
declare module '*/pages/paths.json' {
	const paths: Readonly<Record<Parameters<typeof import('./assets.ts').assetPath>[0], string>>;
	export default paths;
}
declare module '*/pages/english.json' {
	const messages: import('./say.ts').Compiled;
	export default messages;
}
