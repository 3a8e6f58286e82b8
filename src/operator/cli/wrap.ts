/** Text in columns of a terminal: a Chinese character or an emoji takes two, a combining mark none. Pure. */
import stringWidth from 'string-width';

export const widthOf = (text: string): number => stringWidth(text);

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Lines of at most `width` columns, broken at blanks. A word that is wider is broken between its characters. */
export const wrap = (text: string, width: number): string[] => wrapped(text, width, (word) => broken(word, width));

/** The same, but a word that is wider stays whole, so that an address or a link can be copied. */
export const wrapWords = (text: string, width: number): string[] => wrapped(text, width, (word) => [word]);

function wrapped(text: string, width: number, linesOf: (word: string) => readonly string[]): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines.at(-1);
		if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(...linesOf(word));
	}
	return lines;
}

/** As people see characters: an emoji of several code points is one. */
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function broken(word: string, width: number): string[] {
	if (widthOf(word) <= width) return [word];
	const lines: string[] = [];
	let line = '';
	for (const { segment } of characters.segment(word)) {
		if (line !== '' && widthOf(line) + widthOf(segment) > width) {
			lines.push(line);
			line = '';
		}
		line += segment;
	}
	return [...lines, line];
}
