/** Reading Markdown in tests. */

export const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');

export const headingsOf = (markdown: string): string[] =>
	[...withoutCode(markdown).matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = '']) => heading);
