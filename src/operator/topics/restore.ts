/** `restore FILE`: a backup into an empty deployment. */
import * as z from 'zod/mini';
import { declare, type Topic } from '../topic.ts';

export const restore = {
	about: 'a backup into an empty deployment with the same keys',
	commands: {
		'': declare({
			summary: 'read a backup into this deployment, which must be empty',
			details:
				'The file is checked before anything is written. Nothing serves until the restore has ended; one that was broken off goes on with the same command. Afterwards the signer pays nothing of before until you have looked: `restored show`.',
			input: z.strictObject({ file: z.string().check(z.minLength(1)), r2: z.optional(z.boolean()) }),
			arguments: { file: { name: 'FILE', help: 'what `backup` has written' } },
			options: { r2: { kind: 'present', help: 'FILE is a name in the R2 bucket BACKUPS of the service' } },
			afterwards:
				'New orders are served. What is older waits for you: `npx exchange restored show` says what to look at.',
		}),
	},
} satisfies Topic;
