/** The options of `verify`, `proof verify` and `proof history` on their command lines. Pure. */
import { Argument, Command, Option } from 'commander';
import type { NodeChain } from '../../chains/configuration.ts';

/** The keys that are believed. */
interface Believed {
	/** Public keys, base64. */
	readonly keys: readonly string[];
	/** A file with the published keys. */
	readonly published: string | undefined;
}

export interface ProofOptions extends Believed {
	/** The file of an hour. */
	readonly file: string;
	/** Own files of the same hour. */
	readonly own: readonly string[];
	/** A file of an earlier hour, which its reader has kept. */
	readonly since: string | undefined;
	/** The heads of the hours between. */
	readonly heads: string | undefined;
	/** A signed promise of the order. */
	readonly promise: string | undefined;
	/** `AMOUNT CODE`: what is owed by what the creditor knows. */
	readonly owed: readonly string[];
	/** `NETWORK=URL`. */
	readonly nodes: readonly string[];
	/** On which chains the wallets are. */
	readonly chain: NodeChain;
	/** How old it may be. */
	readonly hours: number;
}

export interface HistoryOptions extends Believed {
	/** With dumps of the database and what the buckets have. */
	readonly folder: string;
}

const KEY = ['--key <KEY...>', 'the public keys that you trust, base64'] as const;
const PUBLISHED = [
	'--published <FILE>',
	'partner-exchange-keys.json of the service, which leads from your key to newer ones',
] as const;

const CHAINS: readonly NodeChain[] = ['main', 'regtest'];

/** An hour's report is made in it, and the next one an hour later. */
const HOURS = 2;

export interface OnProof {
	readonly verify: (options: ProofOptions) => void;
	readonly history: (options: HistoryOptions) => void;
}

export const proofCommand = (on: OnProof): Command =>
	new Command('proof')
		.helpGroup('proof — what is owed and held, and what happened, from files alone')
		.usage('COMMAND …')
		.helpCommand(false)
		.addCommand(verifyProofCommand(on.verify))
		.addCommand(historyCommand(on.history));

function historyCommand(onRun: OnProof['history']): Command {
	return new Command('history')
		.summary('are the rows of the books, the audit log and the orders’ moves those that were chained and signed?')
		.description(
			'FOLDER has dumps of the database, in files that end in .sql, and the objects of the buckets under their names: history/… and, of archived orders, orders/…. It asks no service. Exit status 1 where something was changed, removed, inserted or set back: the first such row is named first. Exit status 3 where something could not be compared.',
		)
		.addArgument(new Argument('<FOLDER>', 'the dumps and the objects'))
		.requiredOption(...KEY)
		.option(...PUBLISHED)
		.action((folder: string, { key, published }: { key: string[]; published?: string }) =>
			onRun({ folder, keys: key, published }),
		);
}

function verifyProofCommand(onRun: OnProof['verify']): Command {
	const verify = new Command('verify')
		.summary('does what we owe hold, is your own in it, and do the wallets hold as much?')
		.description(
			'FILE is the file of an hour of /solvency, each OWN what an order page or the cabinet gives for the same hour. It asks no service of ours: the nodes are those that you name. Exit status 1 where something is wrong, 3 where something could not be checked.',
		)
		.addArgument(new Argument('<FILE>', 'the file of the hour'))
		.addArgument(new Argument('[OWN...]', 'what you are owed by the service’s word, and where it stands'))
		.requiredOption(...KEY)
		.option(...PUBLISHED)
		.option('--since <FILE>', 'a file of an earlier hour, which must be in the same chain')
		.option('--heads <FILE>', 'solvency-heads.json of the service: the heads of the hours between')
		.option('--promise <FILE>', 'the signed promise of your order')
		.option('--owed <AMOUNT...>', 'what you are owed at least, as "0.5 BTC"')
		.option('--node <NETWORK=URL...>', 'a node that you trust: balances of its network are looked up there')
		.addOption(
			new Option('--chain <CHAIN>', 'of a deployment on test chains of its own, as its NODE_CHAIN_* say')
				.choices(CHAINS)
				.default('main'),
		)
		.option('--hours <N>', `the file may be so many hours old (at first ${HOURS})`, Number, HOURS);
	verify.action((file: string, own: string[]) => {
		const { key, published, since, heads, promise, owed = [], node = [], chain, hours } = verify.opts();
		onRun({ file, own, keys: key, published, since, heads, promise, owed, nodes: node, chain, hours });
	});
	return verify;
}

export interface VerifyOptions extends Believed {
	readonly file: string;
	readonly id: string | undefined;
}

export function verifyCommand(onRun: (options: VerifyOptions) => void): Command {
	return new Command('verify')
		.helpGroup('verify — a signed promise')
		.summary('is a signed promise of a key that you trust, and what does it promise?')
		.description(
			'FILE is the field promise of an order, or the file that the order page gives. It asks no service. Exit status 1 where it proves nothing.',
		)
		.addArgument(new Argument('<FILE>', 'the signed promise'))
		.requiredOption(...KEY)
		.option(
			'--published <FILE>',
			'partner-exchange-keys.json of the service, which leads from your key to newer and older ones',
		)
		.option('--id <ORDER>', 'the order that it must be of')
		.action((file: string, { key, published, id }: { key: string[]; published?: string; id?: string }) =>
			onRun({ file, keys: key, published, id }),
		);
}
