#!/usr/bin/env node
/*
 * `npx exchange`: runs the operator's command with the Node that `npm ci` installed, whatever Node the system has. Plain
 * JavaScript, because an old Node must be able to run this file.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.join(__dirname, '../../..');
const PROJECT_NODE = path.join(ROOT, 'node_modules/node/bin/node');

function main() {
	if (!fs.existsSync(PROJECT_NODE)) {
		console.error(`nothing is installed in ${ROOT}; run npm ci there first`);
		return 1;
	}
	if (fs.realpathSync(process.execPath) === fs.realpathSync(PROJECT_NODE)) {
		// Without the cache each call would compile the same files again.
		require('node:module').enableCompileCache();
		import('./cli.ts');
		return 0;
	}
	const words = [__filename, ...process.argv.slice(2)];
	const ended = require('node:child_process').spawnSync(PROJECT_NODE, words, { stdio: 'inherit' });
	return ended.status === null ? 1 : ended.status;
}

process.exitCode = main();
