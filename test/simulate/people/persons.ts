/**
 * The operator's person, who confirms with a passkey what moves the reserve, and a thief who has the operator's token and the
 * seal key and has not: what they ask with wrong assertions, and the row that they write, must never be signed.
 */
import type { AskedPersons, Confirmation } from '../../../src/ports/persons.ts';
import { Authenticator, type Bent } from '../../support/authenticator.ts';
import { signedBy as confirmation } from '../../support/confirmation.ts';
import { CONSOLE_ORIGIN, PASSKEY_SECRET } from '../settings.ts';
import type { Crowd } from './crowd.ts';

const PERSON = new Authenticator(CONSOLE_ORIGIN, 'ES256', PASSKEY_SECRET);
const THIEF = new Authenticator(CONSOLE_ORIGIN, 'ES256', Buffer.alloc(32, 't'));

const signedBy = (passkey: Authenticator, { asked }: Pick<AskedPersons, 'asked'>, bent: Bent = {}): Confirmation =>
	confirmation(asked, [passkey], bent);

export const confirmedBy = (asks: AskedPersons): Confirmation => signedBy(PERSON, asks);

/** Of a thief: each is wrong in one way. */
const FORGERIES: readonly ((asks: AskedPersons) => Confirmation)[] = [
	(asks) => signedBy(THIEF, asks),
	(asks) => {
		const { asked, answers } = signedBy(THIEF, asks);
		return { asked, answers: answers.map((answer) => ({ ...answer, id: PERSON.id })) };
	},
	// The person signed something else for them, on another page, or without being verified.
	({ asked }) => ({ ...signedBy(PERSON, { asked: { ...asked, nonce: 'of another request' } }), asked }),
	(asks) => signedBy(PERSON, asks, { origin: 'https://evil.example' }),
	(asks) => signedBy(PERSON, asks, { verified: false }),
	({ asked }) => ({ asked, answers: [] }),
];

/** Asks a withdrawal, with every forgery. Refused ones change nothing. */
export async function robReserve({ client, robbed }: Pick<Crowd, 'client' | 'robbed'>): Promise<void> {
	const input = { asset: 'LTC', amount: '1', to: 'cold' };
	for (const forge of FORGERIES) {
		const { asks } = await client.operateUnconfirmed('treasury/withdraw', input).catch(() => ({ asks: undefined }));
		if (!asks) return;
		robbed.add(String(asks.asked.moves[0]?.[1]));
		await client
			.operateUnconfirmed('treasury/withdraw', { ...input, _confirmation: forge(asks) })
			.catch(() => undefined);
	}
}

/** What a thief asked for and the signer signed. */
export const robberies = ({ service, robbed }: Crowd): string[] => {
	const { disk } = service.object('VAULT', 'vault');
	const signed = [...robbed].filter((id) =>
		disk.sqlite.prepare('SELECT 1 FROM signatures WHERE payout_id = ?').get(id),
	);
	return signed.map((id) => `the signer signed the withdrawal ${id}, which no person confirmed`);
};
