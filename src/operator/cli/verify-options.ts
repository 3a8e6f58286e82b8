/** The options of `verify` on its command line. Pure. */
import { Argument, Command } from 'commander';

export interface VerifyOptions {
	readonly file: string;
	/** Public keys, base64. */
	readonly keys: readonly string[];
	/** A file with the published keys. */
	readonly published: string | undefined;
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
		.requiredOption('--key <KEY...>', 'the public keys that you trust, base64')
		.option(
			'--published <FILE>',
			'partner-exchange-keys.json of the service, which leads from your key to newer and older ones',
		)
		.option('--id <ORDER>', 'the order that it must be of')
		.action((file: string, { key, published, id }: { key: string[]; published?: string; id?: string }) => {
			onRun({ file, keys: key, published, id });
		});
}
