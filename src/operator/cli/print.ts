/** An answer as it is printed: as JSON, as CSV, or for people with what belongs above and below it. Pure. */
import { csv } from '../reading/csv.ts';
import { isRow, shortIds } from '../reading/fields.ts';
import type { Style } from './cell.ts';
import { headline } from './headlines.ts';
import type { Request } from './parse.ts';
import { render } from './render.ts';
import { wrapWords } from './wrap.ts';

/** Ends with the end of its last line. */
export function printed(request: Request, data: unknown, style: Style): string {
	switch (request.format) {
		case 'json':
			return `${JSON.stringify(data, null, 2)}\n`;
		case 'csv':
			return Array.isArray(data) ? csv(data) : '';
		case 'table':
			return `${textOf(request, data, style)}\n`;
		default:
			return request.format satisfies never;
	}
}

function textOf(request: Request, data: unknown, style: Style): string {
	const { path, declaration } = request;
	const above = headline(path, data, style.now);
	const parts = [
		above && wrapWords(above, style.width).join('\n'),
		render(data, declaration, style),
		declaration.afterwards,
		nextPage(request, data),
	];
	return parts.filter(Boolean).join('\n\n');
}

/** How a list goes on that was cut at its limit. */
function nextPage({ declaration, input }: Request, data: unknown): string | null {
	if (!declaration.options['after'] || !Array.isArray(data)) return null;
	const last: unknown = data.at(-1);
	const { limit } = declaration.input.parse(input) as { readonly limit?: number };
	if (!isRow(last) || data.length !== limit) return null;
	return `There may be more: the same with --after ${shortIds(String(last['id']))}`;
}
