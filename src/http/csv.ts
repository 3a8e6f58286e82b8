/** Lines of CSV: RFC 4180, and nothing that a spreadsheet would run. Pure. */
const LINE_END = '\r\n';
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** A spreadsheet takes a cell that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** An apostrophe in front, which spreadsheets hide, makes it text. Numbers stay numbers. */
export const safeCell = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The cells as they are, quoted where they must be. */
export const quotedLine = (cells: readonly string[]): string => cells.map(quoted).join(',') + LINE_END;

/** Null is an empty cell. */
export const csvLine = (values: readonly (string | number | null)[]): string =>
	quotedLine(values.map((value) => (value === null ? '' : safeCell(String(value)))));
