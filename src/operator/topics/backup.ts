/** `backup FILE` and `restore FILE`: everything that a new deployment needs to go on, in one sealed file, and back. */
import * as z from 'zod/mini';
import { declare, topicOf } from '../topic.ts';

const file = z.string().check(z.minLength(1));
const options = {
	r2: {
		kind: 'present',
		schema: z.optional(z.boolean()),
		help: 'FILE is a name in the R2 bucket BACKUPS of the service',
	},
} as const;

export const backup = topicOf('everything that a new deployment needs to go on, in one sealed file', {
	'': declare({
		summary: 'write database, journal and address counters to a file, sealed with SEAL_KEY',
		details:
			'The service holds still meanwhile: reads are answered, create answers 10, and payments wait. A broken-off backup holds it for a minute at most. Keep SEED, SEAL_KEY, SECRETS_KEY and API_KEY_KEY elsewhere: the file has none of them, and is worth nothing without them.',
		arguments: { file: { name: 'FILE', schema: file, help: 'the file to write; it must not exist' } },
		options,
	}),
	check: declare({
		summary: 'open a backup and say of which deployment it is, when it was made, with which keys, and that it is whole',
		details:
			'The running service opens it with its SEAL_KEY, and compares the other keys. `--offline` asks no service: you type the SEAL_KEY that you kept, or pipe it. Nothing is written.',
		reads: true,
		arguments: { file: { name: 'FILE', schema: file, help: 'what `backup` has written' } },
		options: {
			...options,
			offline: {
				kind: 'present',
				schema: z.optional(z.boolean()),
				help: 'without a service: with the SEAL_KEY that you type or pipe',
			},
		},
	}),
});

export const restore = topicOf('a backup into an empty deployment with the same keys', {
	'': declare({
		summary: 'read a backup into this deployment, which must be empty',
		details:
			'The file is checked before anything is written. Nothing serves until the restore has ended; one that was broken off goes on with the same command. Afterwards the signer pays nothing of before until you have looked: `restored show`.',
		arguments: { file: { name: 'FILE', schema: file, help: 'what `backup` has written' } },
		options,
		afterwards:
			'New orders are served. What is older waits for you: `npx exchange restored show` says what to look at.',
	}),
});
