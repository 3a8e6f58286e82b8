/** `keys …`: which keys are in use, and sealing again after one was replaced. */
import * as z from 'zod';
import { declare, type Topic } from '../topic.ts';

export const keys = {
	about: 'the keys of the service: their numbers, and sealing again after one was replaced',
	commands: {
		show: declare({
			summary: 'the number of each key, what older keys have sealed, and what to do next',
			reads: true,
			input: z.strictObject({}),
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
