/** Which paths are pages', and who answers them. */

/** Pages that are the same for everybody: they need no desk, and the platform serves those that are built. */
export const SHARED_PATHS = [
	'/',
	'/docs/*',
	'/assets/*',
	'/widget.js',
	'/favicon.ico',
	'/apple-touch-icon.png',
	'/robots.txt',
	'/llms.txt',
];

/** The paths that the pages Worker answers. */
export const PAGE_PATHS = [
	'/',
	'/o/*',
	'/brand/*',
	'/widget/*',
	'/cabinet/*',
	'/operator/*',
	'/status',
	'/status.json',
	'/solvency',
	'/solvency.json',
	'/solvency-heads.json',
	'/assets/*',
	'/docs/*',
	'/favicon.ico',
	'/apple-touch-icon.png',
	'/robots.txt',
	'/llms.txt',
	'/.well-known/security.txt',
];
