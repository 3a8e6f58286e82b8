/** The command's own page for passkeys, in a browser with an authenticator (book: passkeys, "How it is asked"). */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { counterOfSigned } from '../../src/crypto/webauthn.ts';
import { freePort } from '../../src/local/ports.ts';
import { confirmHere, newPasskey } from '../../src/operator/cli/passkey.ts';
import type { SignerEnv } from '../../src/signer/env.ts';
import { configuredPasskeys } from '../../src/signer/persons/passkeys.ts';
import { askedText } from '../../src/treasury/moves.ts';
import { browserForFile, openPage } from '../support/browser.ts';

browserForFile();

it('makes a passkey, and has it sign exactly what the page shows', async () => {
	const port = String(await freePort());
	const origin = `http://localhost:${port}`;
	const opened = { address: '', tell: (_: string) => undefined as unknown };
	const say = (line: string) => opened.tell(/^open (\S+)/.exec(line)?.[1] ?? '');
	const nextAddress = () =>
		new Promise<string>((resolve) => {
			opened.tell = resolve;
		});
	const first = nextAddress();
	const making = newPasskey({ person: 'ann', port }, say);
	const { page, close } = await openPage(await first);
	const session = await page.context().newCDPSession(page);
	await session.send('WebAuthn.enable');
	await session.send('WebAuthn.addVirtualAuthenticator', {
		options: {
			protocol: 'ctap2',
			transport: 'internal',
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	});
	await page.getByRole('button', { name: 'Use your passkey' }).click();
	await page.getByText('Done. Go back to the terminal.').waitFor();
	const configured = configuredPasskeys({ OPERATOR_PASSKEYS: await making } as SignerEnv);
	if (!('passkeys' in configured)) throw new Error('the entry is none');
	const [passkey] = configured.passkeys;
	const move = ['withdrawal', 'an id', 'LTC', '1.5', '<b>an address</b>\u202e'] as const;
	const asked = { deployment: 'x', nonce: 'a nonce of this test', expiresAt: Date.now() + 60_000, moves: [move] };
	const second = nextAddress();
	const confirming = confirmHere({ asked, persons: 1, passkeys: configured.passkeys }, say);
	await page.goto(await second);
	expect(await page.locator('dl').textContent()).toContain('<b>an address</b>\\u{202e}');
	await page.getByRole('button', { name: 'Use your passkey' }).click();
	const { answers } = await confirming;
	const challenge = createHash('sha256').update(askedText(asked)).digest('base64url');
	const known = { publicKey: String(passkey?.publicKey), counter: -1 };
	const expected = { challenge, origin, host: 'localhost' };
	expect(answers[0] && (await counterOfSigned(answers[0], known, expected))).toEqual(expect.any(Number));
	await session.detach();
	await close();
});
