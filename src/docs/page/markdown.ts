/**
 * The Markdown that the guide and the book use, as HTML: headings, paragraphs, flat lists, tables, fenced code; inline
 * code, bold, emphasis and links. Not a general renderer: its only input is text of this repository, and a test reads
 * each chapter's page for marks that were left over. Pure.
 */
import { codeBlock, escapeHtml, slug, table } from './html.ts';

/** Inline marks. Code is cut out first, so that nothing inside it is read as a mark; a link may have code as its text. */
export function inline(text: string): string {
	return text
		.split(/(`[^`]+`)/)
		.map((part) =>
			part.startsWith('`') && part.length > 1 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : marks(part),
		)
		.join('')
		.replaceAll(/\[(<code>[^<]*<\/code>)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');
}

const marks = (text: string): string =>
	escapeHtml(text)
		.replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
		.replaceAll(/\*([^*\s][^*]*)\*/g, '<em>$1</em>')
		.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');

const LIST_ITEM = /^(-|\d+\.) /;
const HEADING = /^(#{2,4}) (.+)$/;

/** Blocks are what blank lines part, but for the blank lines inside fenced code. */
export function markdown(text: string): string {
	let heading = 'Table';
	return blocksOf(text)
		.map((block) => {
			const match = HEADING.exec(block[0] ?? '');
			heading = match?.[2] ?? heading;
			return blockHtml(block, heading);
		})
		.join('\n');
}

function blocksOf(text: string): string[][] {
	const blocks: string[][] = [];
	let block: string[] = [];
	let fenced = false;
	for (const line of text.split('\n')) {
		if (line.startsWith('```')) fenced = !fenced;
		if (line === '' && !fenced) {
			if (block.length > 0) blocks.push(block);
			block = [];
		} else block.push(line);
	}
	return block.length > 0 ? [...blocks, block] : blocks;
}

function blockHtml(block: readonly string[], heading: string): string {
	const [first = ''] = block;
	if (HEADING.test(first)) return headingHtml(first);
	if (first.startsWith('```'))
		return codeBlock(block.slice(1, -1).join('\n'), `${heading}: example`, first === '```sh');
	if (first.startsWith('|')) return tableHtml(block, heading);
	if (LIST_ITEM.test(first)) return listHtml(block);
	return `<p>${inline(block.join(' '))}</p>`;
}

function headingHtml(line: string): string {
	const [, signs = '##', text = ''] = HEADING.exec(line) ?? [];
	const tag = `h${signs.length}`;
	return `<${tag} id="${slug(text)}"><a href="#${slug(text)}">${inline(text)}</a></${tag}>`;
}

function listHtml(block: readonly string[]): string {
	const items: string[] = [];
	for (const line of block) {
		if (LIST_ITEM.test(line)) items.push(line.replace(LIST_ITEM, ''));
		else items.push(`${items.pop() ?? ''} ${line.trim()}`);
	}
	const tag = block[0]?.startsWith('-') ? 'ul' : 'ol';
	return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
}

function tableHtml([head = '', , ...rows]: readonly string[], heading: string): string {
	return table(heading, cellsOf(head), rows.map(cellsOf));
}

const cellsOf = (row: string): string[] =>
	row
		.slice(1, -1)
		.split('|')
		.map((cell) => inline(cell.trim()));
