/** Passkeys on this machine: a person confirms what a command asks, and makes the entry of a new one for the signer. */
import { randomBytes } from 'node:crypto';
import type { AskedPersons, Confirmation, PasskeyAnswer } from '../../ports/persons.ts';
import { readMove } from '../reading/moves.ts';
import { creationOptions, entryOf, readSigned, signingOptions } from '../reading/passkeys.ts';
import { askOnPage } from './loopback.ts';
import { ServiceError } from './service.ts';
import type { PasskeyOptions } from './setup/options.ts';

type Say = (line: string) => void;

const NOT_HERE =
	'the signer knows no further passkey of a page on this machine: run the command at the console, or make one with `passkey NAME`';
const NO_ANSWER = 'the browser gave no passkey’s answer that holds; try again';

/** Each person signs after the other, on one page each. @throws ServiceError where none of their passkeys is of this machine */
export async function confirmHere(asks: AskedPersons, say: Say): Promise<Confirmation> {
	const { asked, persons, passkeys } = asks;
	const answers: PasskeyAnswer[] = [];
	let left = passkeys.filter(({ origin }) => origin.startsWith('http://localhost:'));
	for (let number = 1; number <= persons; number++) {
		const [first] = left;
		if (!first) throw new ServiceError(NOT_HERE);
		const { origin } = first;
		const here = left.filter((each) => each.origin === origin);
		const credential = await askOnPage(
			{
				origin,
				ceremony: 'get',
				title: persons === 1 ? 'Confirm with your passkey' : `Confirm with a passkey: person ${number} of ${persons}`,
				parts: asked.moves.map(readMove),
				options: await signingOptions(asks, here),
			},
			say,
		);
		const answer = readSigned(credential);
		if (!answer) throw new ServiceError(NO_ANSWER);
		answers.push(answer);
		const person = passkeys.find(({ id }) => id === answer.id)?.person;
		left = left.filter((each) => each.person !== person);
	}
	return { asked, answers };
}

/** The entry of a new passkey for the signer's configuration. @throws ServiceError where the browser's answer does not hold */
export async function newPasskey({ person, port }: PasskeyOptions, say: Say): Promise<string> {
	const origin = `http://localhost:${port}`;
	const challenge = randomBytes(32).toString('base64url');
	const options = creationOptions(person, origin, challenge);
	const page = { origin, ceremony: 'create' as const, title: `A new passkey for ${person}`, parts: [], options };
	const entry = await entryOf({ person, origin, challenge }, await askOnPage(page, say));
	if (entry === null) throw new ServiceError(NO_ANSWER);
	return entry;
}
