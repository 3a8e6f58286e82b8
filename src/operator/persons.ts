/**
 * Commands that move the reserve ask a person: the command answers with the moves that they have to sign, and is run again with
 * their passkeys' answers, which the signer judges. Where the signer's configuration names no passkey, nobody is asked.
 */
import * as z from 'zod/mini';
import { writeAudit } from '../audit/log.ts';
import type { Confirmation } from '../ports/persons.ts';
import type { Move } from '../treasury/moves.ts';
import { refusalText } from '../treasury/signer-refusal.ts';
import { fromSigner } from './asking.ts';
import { type Context, type Failure, fail, isFailure } from './command.ts';

const text = z.string().check(z.maxLength(8_000));

/** The signer judges what it says. */
export const confirmationSchema = z.object({
	asked: z.object({
		deployment: text,
		nonce: text.check(z.minLength(16), z.maxLength(100)),
		expiresAt: z.int(),
		moves: z.array(z.array(z.string())).check(z.minLength(1), z.maxLength(20)),
	}),
	answers: z
		.array(z.object({ id: text, clientDataJSON: text, authenticatorData: text, signature: text }))
		.check(z.maxLength(2)),
});

/**
 * Null where persons have confirmed exactly these moves, or nobody is asked. To be called before anything is changed. The audit
 * log names who confirmed what, also where the command fails afterwards.
 */
export async function unconfirmed(context: Context, moves: readonly Move[]): Promise<Failure | null> {
	const { env, confirmation } = context;
	if (moves.length === 0) return null;
	if (confirmation) {
		if (JSON.stringify(confirmation.asked.moves) !== JSON.stringify(moves))
			return fail(
				409,
				'what was signed is not what this command would do now: run it again, and look at what is asked',
			);
		const answer = await fromSigner(() => env.SIGNER.confirm(confirmation), {});
		if (isFailure(answer)) return answer;
		if ('kind' in answer) return fail(409, `nothing was changed: ${refusalText(answer)}`);
		await writeAudit(context, { command: 'passkey confirm', subject: null, changes: { persons: answer, moves } });
		return null;
	}
	const asks = await fromSigner(() => env.SIGNER.askPersons(moves), {});
	if (asks === null || isFailure(asks)) return asks;
	if ('kind' in asks) return fail(409, `nothing was changed: ${refusalText(asks)}`);
	const who = asks.persons === 1 ? 'a person' : 'two persons';
	return { failed: 428, error: `${who} must confirm this with a passkey; nothing was changed`, asks };
}

/** The id that a move was asked with, so that it is the same when the command is run again; else a new one. */
export function idOf({ confirmation }: Pick<Context, 'confirmation'>, kind: Move[0]): string {
	const [, id] = confirmation?.asked.moves.find(([each]) => each === kind) ?? [];
	return id ?? crypto.randomUUID();
}

export const readConfirmation = (given: unknown): Confirmation | null => {
	const read = confirmationSchema.safeParse(given);
	return read.success ? (read.data as unknown as Confirmation) : null;
};
