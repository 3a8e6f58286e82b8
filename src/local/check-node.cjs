/*
 * For `npm ci`: is the Node that npm runs on one that the dependencies install on? For `npm start` and `npm test`
 * (`check-node.cjs installed`): did `npm ci` run? If not, one line says what to do. Plain JavaScript, because an old Node
 * must be able to run this file.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.join(__dirname, '../..');

/** Whether `version` fits a range as package.json has it: `^20.19.0 || >=22.12.0`, and nothing more complicated. */
function isSupported(version, range) {
	const own = version.split('.').map(Number);
	return range.split(' || ').some((part) => {
		const least = part.replace(/^\D+/, '').split('.').map(Number);
		if (own[0] !== least[0]) return part.charAt(0) === '>' && own[0] > least[0];
		return own[1] > least[1] || (own[1] === least[1] && own[2] >= least[2]);
	});
}

/** npm runs scripts with the project's own Node as soon as it is installed; the user agent names the one npm runs on. */
function installingVersion() {
	const named = /node\/v(\S+)/.exec(process.env.npm_config_user_agent || '');
	return named ? named[1] : process.versions.node;
}

function problem() {
	if (process.argv[2] === 'installed')
		return fs.existsSync(path.join(ROOT, 'node_modules/node'))
			? null
			: `nothing is installed in ${ROOT}; run npm ci there first`;
	const range = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).engines.node;
	const version = installingVersion();
	if (isSupported(version, range)) return null;
	return `Partner Exchange installs on Node ${range}, and this is Node ${version}: use a newer one, then run npm ci again`;
}

const found = problem();
if (found !== null) {
	console.error(found);
	process.exitCode = 1;
}
