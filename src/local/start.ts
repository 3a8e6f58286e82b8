/**
 * `npm start`: the service on PORT (default 8787), its state under STATE_DIR (default .state). It ends on Ctrl-C,
 * when its parent process ends, or on kill -9. In each case the next start resumes from the stored state.
 */
import { join } from 'node:path';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { type ChainConfiguration, networkMode, usesSandboxPrices } from '../chains/configuration.ts';
import { demoPartner } from './demo-partner.ts';
import { configuredVariables } from './environment.ts';
import { holdFolder, orExit, portOf } from './running.ts';
import { startService } from './service.ts';

const stateDirectory = process.env['STATE_DIR'] || '.state';

const USAGE = `Usage: npm start

Serves the exchange here, on embedded ledgers unless NODE_URL_<NETWORK> is set. It takes no arguments. Environment:
  PORT             where it serves (8787)
  STATE_DIR        where it keeps its state, its log and its secrets (.state)
  LINK_PORT        where it answers the signer's house, where HOUSE_URL is set (8789)
  NODE_URL_LITECOIN=http://… and all other variables of the configuration:
  src/docs/book/deploy.md, "Configuration"

Ctrl-C ends it; the next start goes on. Operate it with: npx exchange --help`;

/** Exit status: 0 for help, 2 for anything else, which would otherwise be ignored in silence. */
function answerArguments(words: readonly string[]): void {
	const isHelp = words.every((word) => word === '--help' || word === '-h');
	if (isHelp) console.log(USAGE);
	else
		console.error(
			`npm start takes no arguments, and ${words.join(' ')} was given; npm start -- --help says how to set it up`,
		);
	process.exit(isHelp ? 0 : 2);
}

async function main(): Promise<void> {
	const words = process.argv.slice(2);
	if (words.length > 0) return answerArguments(words);
	const port = portOf(8787);
	const variables = configuredVariables(process.env);
	const endWith = await holdFolder(stateDirectory);
	const linkPort = Number(process.env['LINK_PORT'] || 8789);
	const service = await startService({
		stateDirectory,
		port,
		linkPort,
		variables: { METRICS_LOG: 'on', ...variables },
	});
	endWith(() => service.stop());

	console.log(
		`Partner Exchange serves ${service.url} (state in ${stateDirectory}, log in ${join(stateDirectory, 'service.log')})`,
	);
	console.log(whatRuns(service.variables));
	const lines = await demoPartner(service, stateDirectory);
	console.log(lines.join('\n'));
	console.log(
		'Operate it with `npx exchange`: `npx exchange order list`, `npx exchange attention`, `npx exchange --help`.',
	);
}

/** The chains behind each network, one line: nobody is to guess whether coins are real. */
function whatRuns(configuration: ChainConfiguration): string {
	const byMode = Map.groupBy(NETWORK_NAMES, (name) => {
		const mode = networkMode(configuration, name);
		if (mode === null) return 'off';
		return mode.on === 'sandbox' ? 'on the sandbox (no coins)' : `on nodes of a ${mode.chain} chain`;
	});
	const prices = usesSandboxPrices(configuration) ? "the sandbox's table" : 'public sources';
	return `${[...byMode].map(([how, names]) => `${how}: ${names.join(', ')}`).join('; ')}; prices: ${prices}`;
}

orExit(main());
