/** What the browsers of persons send for what they are asked to confirm. */
import { createHash } from 'node:crypto';
import type { AskedPersons, Confirmation } from '../../src/ports/persons.ts';
import { askedText } from '../../src/treasury/moves.ts';
import type { Authenticator, Bent } from './authenticator.ts';

/** `how`: what each one's browser does otherwise. */
export function signedBy(asked: AskedPersons['asked'], who: readonly Authenticator[], how: Bent = {}): Confirmation {
	const challenge = createHash('sha256').update(askedText(asked)).digest('base64url');
	const answers = who.map((authenticator) => {
		const { id, response } = JSON.parse(authenticator.get({ challenge }, how));
		return { id, ...response };
	});
	return { asked, answers };
}
