/** It is made before the Worker is bundled (`local/static-pages.ts`), and says where each asset is. */
declare module '*/pages/paths.json' {
	const paths: Readonly<Record<import('./assets.ts').ScriptName | 'style.css', string>>;
	export default paths;
}
