/** `backup FILE`: everything that a new deployment needs to go on, in one sealed file. */
import * as z from 'zod/mini';
import { declare, type Topic } from '../topic.ts';

export const backup = {
	about: 'everything that a new deployment needs to go on, in one sealed file',
	commands: {
		'': declare({
			summary: 'write database, journal and address counters to a file, sealed with SEAL_KEY',
			details:
				'The service holds still meanwhile: reads are answered, create answers 10, and payments wait. A broken-off backup holds it for a minute at most. Keep SEED, SEAL_KEY, SECRETS_KEY and API_KEY_KEY elsewhere: the file has none of them, and is worth nothing without them.',
			input: z.strictObject({ file: z.string().check(z.minLength(1)), r2: z.optional(z.boolean()) }),
			arguments: { file: { name: 'FILE', help: 'the file to write; it must not exist' } },
			options: { r2: { kind: 'present', help: 'FILE is a name in the R2 bucket BACKUPS of the service' } },
		}),
	},
} satisfies Topic;
