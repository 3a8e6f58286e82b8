/** `keys …`: which keys are in use, and sealing again after one was replaced. */
import * as z from 'zod';
import { declare, type Topic } from '../topic.ts';

/** What `keys plan` knows. */
export const REPLACED = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY', 'OPERATOR_TOKEN'] as const;

export const keys = {
	about: 'the keys of the service: their numbers, and sealing again after one was replaced',
	commands: {
		show: declare({
			summary: 'the number of each key, what older keys have sealed, and what to do next',
			reads: true,
			input: z.strictObject({}),
			options: {},
		}),
		plan: declare({
			summary: 'what to do next to replace a secret while the service runs',
			details:
				'Run it, do what it says, and run it again, until it says that nothing is left. Add --env=staging instead of --env="" to the commands for staging.',
			reads: true,
			input: z.strictObject({ name: z.string().toUpperCase().pipe(z.enum(REPLACED)) }),
			arguments: { name: { name: 'NAME', choices: REPLACED, help: 'the secret' } },
			options: {},
		}),
		reseal: declare({
			summary: 'seal with the current keys what the previous ones have sealed',
			details:
				'Run it after a key was replaced, until nothing is left; then the previous key can be removed. A row whose seal does not match is named and stays as it is: somebody has changed it.',
			input: z.strictObject({}),
			options: {},
		}),
	},
} satisfies Topic;
