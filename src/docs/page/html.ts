/** Text into HTML: everything that is not markup of ours is escaped. */

/** The text of a page, and links to its own sections. */
export interface Fragment {
	readonly html: string;
	readonly contents: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

/**
 * `rows`: cells that are HTML already; the first of a row is its header. Roles are spelled out, because a phone shows rows as
 * cards, each value below its head, and a browser may then take them for no table. Of two columns nobody needs the head.
 */
export function table(label: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
	const headOf = (cell = '') => (head.length > 2 ? ` data-head="${cell.replaceAll(/<[^>]*>/g, '')}"` : '');
	const headCells = head.map((cell) => `<th scope="col" role="columnheader">${cell}</th>`).join('');
	const bodyRows = rows.map(([first = '', ...rest]) => {
		const cells = rest.map((cell, i) => `<td role="cell"${headOf(head[i + 1])}>${cell}</td>`).join('');
		return `<tr role="row"><th scope="row" role="rowheader">${first}</th>${cells}</tr>`;
	});
	const open = '<table role="table" class="cards">';
	const thead = `<thead role="rowgroup"><tr role="row">${headCells}</tr></thead>`;
	const scroll = `<div class="scroll" role="group" aria-label="${escapeHtml(label)}" tabindex="0">`;
	return `${scroll}${open}${thead}<tbody role="rowgroup">${bodyRows.join('')}</tbody></table></div>`;
}

/** `wraps`: long lines are broken for the eye alone. The button copies the text beside it; a script of the page shows it (`pages/browser/copy.js`). */
export function codeBlock(text: string, label: string, wraps = false): string {
	const what = escapeHtml(label);
	const button = `<button type="button" class="plain" data-copy="" data-label="${what}" aria-label="Copy ${what}" hidden><span data-said>Copy</span></button>`;
	return `<div class="code"><pre${wraps ? ' class="wraps"' : ''} tabindex="0" role="group" aria-label="${what}"><code>${escapeHtml(text)}</code></pre>${button}</div>`;
}

export const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** The anchor that GitHub gives a heading, so that one link works in the repository and on the page. */
export const slug = (text: string): string =>
	text
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
		.replaceAll(' ', '-');
