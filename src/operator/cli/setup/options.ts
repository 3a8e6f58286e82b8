/** The options of `setup` on its command line. Pure. */
import { Argument, Command, InvalidArgumentError, Option } from 'commander';

export const ENVIRONMENTS = ['production', 'staging'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** In the order in which they are deployed: a newer Worker understands the older ones that it calls. */
export const WORKERS = ['api', 'agents', 'wallets', 'signer', 'pages', 'operator'] as const;

/** Where Monero's wallets are: nowhere, at the operator's URLs, or in the wallets Worker. */
export const MONERO_WALLETS = ['none', 'own', 'containers'] as const;

export type MoneroWallets = (typeof MONERO_WALLETS)[number];

export interface DeployOptions {
	readonly environment: Environment;
	readonly workers: readonly (typeof WORKERS)[number][];
}

export interface SetupOptions {
	readonly environment: Environment;
	/** For `wrangler dev` on this machine. */
	readonly local: boolean;
	readonly dryRun: boolean;
	readonly takeOver: boolean;
	readonly domain?: string | undefined;
	readonly location?: string | undefined;
	readonly monero?: MoneroWallets | undefined;
	/** `account`: another one; else the address of a house that is run elsewhere. */
	readonly house?: string | undefined;
	/** The address of a co-signer. */
	readonly cosigner?: string | undefined;
}

type Given = Partial<Omit<SetupOptions, 'environment'>> & { readonly env: Environment };

const ABOUT = 'setup — deploy the service to a Cloudflare account, or prepare wrangler dev';
const DETAILS =
	'Deploys the Workers with all that they need. It asks, and shows each step before it does it. Run it again at any time: it looks at what is there, and goes on.';

export function setupCommand(onRun: (options: SetupOptions) => void): Command {
	return new Command('setup')
		.helpGroup(ABOUT)
		.summary('create the database, the keys and the rest, deploy the Workers, set the domain; asks before it acts')
		.description(DETAILS)
		.addOption(environmentOption())
		.option('--domain <HOST>', 'the domain of the service, as swap.example.com')
		.option('--location <PLACE>', 'where database and objects are, as weur')
		.addOption(new Option('--monero <WALLETS>', "where Monero's wallets are").choices(MONERO_WALLETS))
		.option('--house <WHERE>', "where the signer's house is, if not here: account, or its https: address")
		.option(
			'--cosigner <URL>',
			'the https: address of a co-signer; COSIGNED and its OTHER_JUDGE_… are in the environment',
		)
		.option('--dry-run', 'show all steps, change nothing')
		.option('--take-over', 'go on although a setup on another machine did not end')
		.option('--local', 'write the keys for wrangler dev on this machine; no account is needed')
		.action(({ env: environment, local = false, dryRun = false, takeOver = false, ...chosen }: Given) => {
			onRun({ environment, local, dryRun, takeOver, ...chosen });
		});
}

export function deployCommand(onRun: (options: DeployOptions) => void): Command {
	return new Command('deploy')
		.helpGroup(ABOUT)
		.summary('deploy this clone over a deployment that setup made: all Workers in their order, or those that you name')
		.description(
			'Secrets, and what a Worker is bound to, stay. Where Analytics Engine is off in the account, a Worker is deployed without metrics.',
		)
		.addArgument(new Argument('[WORKER...]', 'which Workers').choices(WORKERS))
		.addOption(environmentOption())
		.action((named: DeployOptions['workers'], { env }: Given) => {
			onRun({ environment: env, workers: WORKERS.filter((worker) => named.length === 0 || named.includes(worker)) });
		});
}

/** A person's name in the signer's configuration. */
const PERSON = /^[a-z][a-z0-9-]{0,31}$/;
const PORT = /^[1-9]\d{2,4}$/;

export interface PasskeyOptions {
	readonly person: string;
	/** The page's port on this machine. */
	readonly port: string;
}

export function passkeyCommand(onRun: (options: PasskeyOptions) => void): Command {
	const named = new Argument('<NAME>', 'the person').argParser((text: string) => {
		const person = text.toLowerCase();
		if (PERSON.test(person)) return person;
		throw new InvalidArgumentError('a name is letters a to z, digits and -');
	});
	const port = new Option('--port <PORT>', 'of the page; the passkey is asked for there from then on')
		.default('8791')
		.argParser((text: string) => {
			if (PORT.test(text)) return text;
			throw new InvalidArgumentError('a port is a number from 100 to 99999');
		});
	return new Command('passkey')
		.helpGroup(ABOUT)
		.summary('make a passkey on this machine, and print its entry for the signer’s OPERATOR_PASSKEYS')
		.description(
			'Prints the address of a page on this machine, which asks for the passkey. The signer then asks persons for theirs before the reserve moves: withdrawals, returns to an address that you enter, adjustments and what waits after a restore.',
		)
		.addArgument(named)
		.addOption(port)
		.action((person: string, given: Pick<PasskeyOptions, 'port'>) => onRun({ ...given, person }));
}

const environmentOption = (): Option =>
	new Option('--env <NAME>', 'which deployment').choices(ENVIRONMENTS).default('production');
