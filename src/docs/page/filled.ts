/** Texts of Markdown with what the code knows in the places that have its name in braces. Pure. */

/** Other braces are the text's own. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
	text.trimEnd().replaceAll(/\{([\w.]+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** Lines of a table. */
export const rows = (lines: readonly (readonly (string | number)[])[]): string =>
	lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
