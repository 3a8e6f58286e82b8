/** `keys …`: which keys are in use, and sealing again after one was replaced. */
import * as z from 'zod/mini';
import { CURSOR, flag, id, text, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

/** The keys that `keys plan` knows. */
export const REPLACED = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY', 'OPERATOR_TOKEN'] as const;

/** The secrets of `keys verify`. */
const VERIFIED = ['SEED', ...REPLACED] as const;

const verifiedName = z.pipe(z.string().check(z.toUpperCase()), z.enum(VERIFIED));
const secretName = z.pipe(z.string().check(z.toUpperCase()), z.enum(REPLACED));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be the digest of a list'));
const digests = z.array(digest).check(z.minLength(1), z.maxLength(100));

export const keys = topicOf('the keys of the service: their numbers, and sealing again after one was replaced', {
	show: declare({
		summary: 'the number of each key, what older keys have sealed, and what to do next',
		button: 'See the keys',
		reads: true,
	}),
	plan: declare({
		summary: 'what to do next to replace a secret while the service runs',
		button: 'See the next step',
		details:
			'Run it, do what it says, and run it again, until it says that nothing is left. Add --env=staging instead of --env="" to the commands for staging.',
		reads: true,
		arguments: { name: { name: 'NAME', choices: REPLACED, schema: secretName, help: 'the secret' } },
		options: { leaked: flag('somebody else has it: it counts for nothing from the first step on') },
	}),
	verify: declare({
		summary: 'is a secret that you kept the one of the service? By its fingerprint',
		details:
			"You type it, unseen, or pipe it. It is neither sent nor stored: its fingerprint is computed on your machine and compared with the service's. A backup names its keys by the same fingerprints.",
		reads: true,
		arguments: { name: { name: 'NAME', choices: VERIFIED, schema: verifiedName, help: 'the secret' } },
	}),
	reseal: declare({
		summary: 'seal with the current keys what the previous ones have sealed',
		button: 'Seal again',
		details:
			'Run it after a key was replaced, until nothing is left; then the previous key can be removed. A row whose seal does not match is named and stays as it is: somebody has changed it. After a leak it refuses. `--leaked` drops passkeys, sessions, invitations and free addresses that the leaked key has sealed, makes payout addresses wait for your word and 24 hours, and lists the rest, which `keys confirm` seals.',
		options: { leaked: flag('a key leaked: drop what people can make again, and list the rest') },
		sections: {
			lists: ['what', 'partner', 'rows', 'open', 'atStake', 'digest'],
			partners: ['name', 'next'],
			doubts: ['what', 'id', 'partner', 'why'],
		},
	}),
	left: declare({
		summary: 'each row that a leaked key has sealed and nobody has confirmed',
		button: 'See what is left',
		details:
			'Compare it with what the partners have on record, and with a backup of before the leak. A row with a doubt is never sealed again.',
		reads: true,
		paged: 'list',
		options: {
			partner: text('PARTNER', id, 'of this partner alone: an id or a name', { names: 'partner' }),
			cursor: CURSOR,
		},
		columns: ['what', 'id', 'createdAt', 'status', 'asked', 'to', 'recipient', 'refund', 'doubt'],
		empty: 'nothing is left that a leaked key has sealed',
	}),
	confirm: declare({
		summary: 'seal the rows of lists that you have compared, after a leak',
		button: 'Confirm the lists',
		details:
			'`keys reseal --leaked` names the lists with their digests. If a row of a list has changed since then, its digest is another one and nothing is sealed.',
		arguments: { digests: { name: 'DIGEST', many: true, schema: digests, help: 'of the lists, all 64 characters' } },
		options: { reason: why('R', 'what you compared them with, for the audit log') },
	}),
});
