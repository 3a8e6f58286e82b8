/** Texts for the platform and for robots: headers by path, redirects, and what is nobody's search result. Pure. */
import { LLMS_PATH } from '../../docs/page/llms.ts';
import { pageHeaders } from '../headers.ts';

/** The mark at 180 px, for a phone's home screen, which takes no SVG. */
export const TOUCH_ICON_PATH = '/apple-touch-icon.png';

const SHORT = 'public, max-age=300';
const DAY = 'public, max-age=86400';
const FOREVER = 'public, max-age=31536000, immutable';

/** Orders, the cabinet and the console are nobody's search result. */
export const ROBOTS = [
	'User-agent: *',
	'Disallow: /o/',
	'Disallow: /cabinet',
	'Disallow: /operator',
	'Disallow: /api/',
	'',
].join('\n');

/** An address with a slash at its end leads to the one without, as those that the Worker answers do. */
export const REDIRECTS = [
	'/docs/ /docs 308',
	'/docs/:page/ /docs/:page 308',
	'/docs/book/:page/ /docs/book/:page 308',
	'',
].join('\n');

/** As the platform reads it: no path is in two rules, for it would have the headers of both. */
export function headersText(): string {
	const { 'content-type': _, ...page } = pageHeaders({ cache: SHORT });
	const shared = { ...page, 'access-control-allow-origin': '*' };
	const kept = (cache: string) => ({ 'cache-control': cache, 'x-content-type-options': 'nosniff' });
	const rules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		'/': page,
		'/docs': shared,
		'/docs/*': shared,
		'/assets/*': kept(FOREVER),
		'/widget.js': {
			...kept(SHORT),
			'content-type': 'text/javascript; charset=utf-8',
			'cross-origin-resource-policy': 'cross-origin',
		},
		'/favicon.ico': { ...kept(DAY), 'content-type': 'image/svg+xml' },
		[TOUCH_ICON_PATH]: { ...kept(DAY), 'content-type': 'image/png' },
		'/robots.txt': kept(DAY),
		[LLMS_PATH]: kept(SHORT),
	};
	return Object.entries(rules)
		.map(([path, headers]) =>
			[path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n'),
		)
		.join('\n');
}
