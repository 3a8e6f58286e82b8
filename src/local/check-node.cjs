/*
 * Before `npm ci` ends: is this Node one that the dependencies install on? Before `npm start` and `npm test`
 * (`check-node.cjs installed`): did `npm ci` run? Otherwise one line says what to do. Plain JavaScript, because an old Node
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

function problem() {
	const range = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).engines.node;
	const version = process.versions.node;
	if (!isSupported(version, range))
		return `Partner Exchange needs Node ${range}, and this is Node ${version}: install a newer one, then run npm ci`;
	if (process.argv[2] === 'installed' && !fs.existsSync(path.join(ROOT, 'node_modules/node')))
		return `nothing is installed in ${ROOT}; run npm ci there first`;
	return null;
}

const found = problem();
if (found !== null) {
	console.error(found);
	process.exitCode = 1;
}
