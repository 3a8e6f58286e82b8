/** The passkeys of the signer's configuration (book: passkeys, "The signer's configuration"). */
import { describe, expect, it } from 'vitest';
import type { SignerEnv } from '../../src/signer/env.ts';
import { configuredPasskeys } from '../../src/signer/persons/passkeys.ts';
import { Authenticator } from '../support/authenticator.ts';

const [one, two] = [new Authenticator('https://swap.example'), new Authenticator('http://localhost:8791')];
const entry = (person: string, origin: string, { id, publicKey } = one) => `${person}=${origin} ${id} ${publicKey}`;
const configured = (passkeys?: string, twoAbove?: string) =>
	configuredPasskeys({ OPERATOR_PASSKEYS: passkeys, OPERATOR_TWO_ABOVE_USD: twoAbove } as SignerEnv);
const malformed = (position: number, variable = 'OPERATOR_PASSKEYS') => ({
	kind: 'passkeys-malformed',
	variable,
	position,
});

describe('the passkeys of the signer', () => {
	it('are none where the variable is not set: nobody is asked', () => {
		for (const text of [undefined, '', '  '])
			expect(configured(text)).toEqual({ passkeys: [], twoAboveCents: Number.POSITIVE_INFINITY });
	});

	it('are read with their person, origin, id and key', () => {
		const text = ` ${entry('ann', 'https://swap.example')},\n ${entry('ben-2', 'http://localhost:8791', two)} `;
		expect(configured(text, '5000.50')).toEqual({
			passkeys: [
				{ person: 'ann', origin: 'https://swap.example', id: one.id, publicKey: one.publicKey },
				{ person: 'ben-2', origin: 'http://localhost:8791', id: two.id, publicKey: two.publicKey },
			],
			twoAboveCents: 500_050,
		});
	});

	const good = entry('ann', 'https://swap.example');
	it.each([
		['no person', good.slice(4), 1],
		['an origin over http that is not this machine', entry('ann', 'http://swap.example'), 1],
		['an IP address of this machine, which has no passkey', entry('ann', 'http://127.0.0.1:8791'), 1],
		['a path behind the origin', entry('ann', 'https://swap.example/operator'), 1],
		['a key of another kind', entry('ann', 'https://swap.example', new Authenticator('', 'EdDSA')), 1],
		['half a key', good.slice(0, -1), 1],
		['an empty entry', `${good}, `, 2],
		['a key that is there twice', `${good}, ${entry('ben', 'https://swap.example')}`, 2],
	])(
		'a malformed entry, or one that is there twice, refuses all moves and names the entry: %s',
		(_, text, position) => {
			expect(configured(text)).toEqual(malformed(position));
		},
	);

	it('a limit that is no amount refuses all moves', () => {
		expect(configured(good, '5k')).toEqual(malformed(1, 'OPERATOR_TWO_ABOVE_USD'));
	});
});
