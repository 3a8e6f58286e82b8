/**
 * What moves the reserve outside of orders needs a person's passkey, which the signer judges by its own configuration (book:
 * passkeys, "What is asked"). The attacker has the operator's token, the seal key and every binding of the API Worker.
 */
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { freePort } from '../../src/local/ports.ts';
import { runCommand } from '../../src/operator/cli/main.ts';
import { sealStray } from '../../src/orders/seal.ts';
import type { AskedPersons, Confirmation } from '../../src/ports/persons.ts';
import type { SignerService } from '../../src/ports/signer.ts';
import type { SignerEnv } from '../../src/signer/env.ts';
import { configuredPasskeys } from '../../src/signer/persons/passkeys.ts';
import { Authenticator } from '../support/authenticator.ts';
import { signedBy } from '../support/confirmation.ts';
import { hiddenFields } from '../support/console-visit.ts';
import { create, ETH_RECIPIENT } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const CONSOLE = 'https://swap.example';
const PORT = await freePort();
const HERE = `http://localhost:${PORT}`;
const COLD = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
const DASH_COLD = 'XpESxaUmonkq8RaLLp46Brx2K39ggQe226';
const THIEF = '0x1234567890123456789012345678901234567890';
const ETHEREUM_COLD = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const SOLANA_COLD = '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA';
const TRON_COLD = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
const EXCHANGE = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
/** Litecoin is 95 USD in the sandbox: ten coins are below it. */
const TWO_ABOVE_USD = '5000';

const [ann, annsOther, ben, removed] = [CONSOLE, CONSOLE, HERE, CONSOLE].map((origin) => new Authenticator(origin)) as [
	Authenticator,
	Authenticator,
	Authenticator,
	Authenticator,
];
const entry = (person: string, origin: string, { id, publicKey }: Authenticator) =>
	`${person}=${origin} ${id} ${publicKey}`;

const file = serviceForFile(
	{
		WITHDRAW_TO_DASH: DASH_COLD,
		WITHDRAW_TO_ETHEREUM: ETHEREUM_COLD,
		WITHDRAW_TO_SOLANA: SOLANA_COLD,
		WITHDRAW_TO_TRON: TRON_COLD,
		WITHDRAW_TO_LITECOIN: `cold=${COLD}, kraken=${EXCHANGE}`,
		OPERATOR_PASSKEYS: [entry('ann', CONSOLE, ann), entry('ann', CONSOLE, annsOther), entry('ben', HERE, ben)].join(
			', ',
		),
		OPERATOR_TWO_ABOVE_USD: TWO_ABOVE_USD,
	},
	{ pages: true },
);

interface Answered {
	readonly ok: boolean;
	readonly error?: string;
	readonly data?: Readonly<Record<string, string>>;
	readonly asks?: AskedPersons;
}

/** With the operator's token. */
async function operate(command: string, input: object): Promise<Answered> {
	const { url, local } = file.current();
	const response = await fetch(`${url}/operator/v1/${command}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${local.secrets.OPERATOR_TOKEN}` },
		body: JSON.stringify(input),
	});
	return (await response.json()) as Answered;
}

const withdrawal = (amount = '1', to = 'cold') => ({ asset: 'LTC', amount, to });

async function asksOf(command: string, input: object): Promise<AskedPersons> {
	const { asks, error } = await operate(command, input);
	if (!asks) throw new Error(`nobody is asked: ${error}`);
	return asks;
}

const withdrawals = () =>
	file.current().sql<{ id: string; state: string }>("SELECT id, state FROM transactions WHERE kind = 'withdrawal'");

/** The signer as the API Worker reaches it. */
const signer = (call: keyof SignerService, ...given: unknown[]): Promise<unknown> => {
	const vault = file.current().object<SignerService>('VAULT', 'vault');
	return (vault[call] as (...given: unknown[]) => Promise<unknown>)(...given);
};

describe('a withdrawal', () => {
	it('asks for a person, is planned once they have signed, and is paid', async () => {
		const { asked, persons, passkeys } = await asksOf('treasury/withdraw', withdrawal('1.5'));
		expect(persons).toBe(1);
		expect(passkeys.map(({ person, origin }) => `${person} ${origin}`)).toEqual([
			`ann ${CONSOLE}`,
			`ann ${CONSOLE}`,
			`ben ${HERE}`,
		]);
		expect(asked.moves).toEqual([['withdrawal', expect.any(String), 'LTC', '1.5', COLD]]);
		expect(await withdrawals()).toEqual([]);
		const done = await operate('treasury/withdraw', { ...withdrawal('1.5'), _confirmation: signedBy(asked, [ann]) });
		expect(done).toMatchObject({ ok: true, data: { id: asked.moves[0]?.[1], amount: '1.5', toAddress: COLD } });
		await eventually('the withdrawal to be final', async () => (await withdrawals())[0]?.state === 'final');
		const { data } = await operate('audit/list', {});
		expect(data).toContainEqual(
			expect.objectContaining({
				command: 'passkey confirm',
				by: expect.any(String),
				changes: { persons: ['ann'], moves: asked.moves },
			}),
		);
	});

	const other = { asset: 'LTC', amount: '2', to: 'cold' };
	const wrong: readonly [string, string, (asks: AskedPersons) => Confirmation | Promise<Confirmation>][] = [
		[
			'for another request',
			'signed another request',
			async ({ asked }) => ({ ...signedBy((await asksOf('treasury/withdraw', other)).asked, [ann]), asked }),
		],
		['of a removed key', 'does not have this passkey', ({ asked }) => signedBy(asked, [removed])],
		['by a page of another origin', 'page of another origin', ({ asked }) => signedBy(asked, [ann], { origin: HERE })],
		['for another host', 'page of another origin', ({ asked }) => signedBy(asked, [ann], { host: 'evil.example' })],
		[
			'in a frame of another site',
			'page of another origin',
			({ asked }) => signedBy(asked, [ann], { crossOrigin: true }),
		],
		[
			'without user verification',
			'did not verify its owner',
			({ asked }) => signedBy(asked, [ann], { verified: false }),
		],
		[
			'of another key than the one that it names',
			'not of the passkey that is named',
			({ asked }) => {
				const [answer] = signedBy(asked, [ann]).answers;
				return { asked, answers: answer ? [{ ...answer, id: annsOther.id }] : [] };
			},
		],
		['by nobody', 'asks for two persons', ({ asked }) => ({ asked, answers: [] })],
		['that is expired', 'is too old', ({ asked }) => signedBy({ ...asked, expiresAt: Date.now() - 1 }, [ann])],
		[
			'that would last for years',
			'or of the future',
			({ asked }) => signedBy({ ...asked, expiresAt: Date.now() + 365 * 86_400_000 }, [ann]),
		],
		[
			'for another deployment',
			'signed another request',
			({ asked }) => ({ ...signedBy({ ...asked, deployment: 'staging' }, [ann]), asked }),
		],
		[
			'that is no answer',
			'cannot be read',
			({ asked }) => ({ asked, answers: [{ ...signedBy(asked, [ann]).answers[0], clientDataJSON: '!' } as never] }),
		],
	];
	it.each(wrong)('with an assertion %s is refused by name: %s', async (_, error, confirmationOf) => {
		const before = await withdrawals();
		const _confirmation = await confirmationOf(await asksOf('treasury/withdraw', withdrawal()));
		const answered = await operate('treasury/withdraw', { ...withdrawal(), _confirmation });
		expect(answered).toMatchObject({ ok: false, error: expect.stringContaining(error) });
		expect(await withdrawals()).toEqual(before);
	});

	it.each([
		['another amount', withdrawal('1.00000001')],
		['another address', withdrawal('1', 'kraken')],
	])('with %s between confirmation and execution is refused', async (_, changed) => {
		const { asked } = await asksOf('treasury/withdraw', withdrawal());
		const answered = await operate('treasury/withdraw', { ...changed, _confirmation: signedBy(asked, [ann]) });
		expect(answered.error).toContain('what was signed is not what this command would do now');
		const lied = {
			...asked,
			moves: [['withdrawal', asked.moves[0]?.[1], 'LTC', changed.amount, changed.to === 'cold' ? COLD : EXCHANGE]],
		};
		const forged = { answers: signedBy(asked, [ann]).answers, asked: lied };
		expect(await operate('treasury/withdraw', { ...changed, _confirmation: forged })).toMatchObject({
			ok: false,
			error: expect.stringContaining('signed another request'),
		});
	});

	it('is not confirmed by a replay: not after a restart, and not after the database was set back', async () => {
		const input = { asset: 'TRX', amount: '3' };
		const { asked } = await asksOf('treasury/withdraw', input);
		const _confirmation = signedBy(asked, [ann]);
		expect(await operate('treasury/withdraw', { ...input, _confirmation })).toMatchObject({ ok: true });
		await file.current().evict('VAULT', 'vault');
		await file.current().sql('DELETE FROM transactions WHERE id = ?', asked.moves[0]?.[1]);
		expect(await signer('confirm', _confirmation)).toEqual({ kind: 'passkey-refused', why: 'replayed' });
		const answered = await operate('treasury/withdraw', { ...input, _confirmation });
		expect(answered.error).toContain('was used before');
	});

	it('above the limit asks for two persons; what one confirms alone in a day adds up', async () => {
		const big = await asksOf('treasury/withdraw', withdrawal('60'));
		expect(big.persons).toBe(2);
		const by = async (...who: Authenticator[]) =>
			operate('treasury/withdraw', { ...withdrawal('60'), _confirmation: signedBy(big.asked, who) });
		expect((await by(ann)).error).toContain('asks for two persons');
		expect((await by(ann, annsOther)).error).toContain('both passkeys are of one person');
		expect((await by(ann, ann)).error).toContain('both passkeys are of one person');
		// With the 1.5 that were confirmed by one person before, 52 are above 5000 USD, and 40 are not.
		expect((await asksOf('treasury/withdraw', withdrawal('52'))).persons).toBe(2);
		expect((await asksOf('treasury/withdraw', withdrawal('40'))).persons).toBe(1);
		expect(await by(ann, ben)).toMatchObject({ ok: true });
	});

	it('that somebody writes into the database is not signed, and is taken back by the printed command', async () => {
		const known = (
			await file.current().sql<{ name: string }>("SELECT name FROM pragma_table_info('transactions')")
		).map(({ name }) => name);
		const [done] = await withdrawals();
		const id = crypto.randomUUID();
		const values = known.map(
			(name) =>
				({
					id: '?1',
					state: "'planned'",
					raw: 'NULL',
					tx_id: 'NULL',
					signed_at: 'NULL',
					sent_at: 'NULL',
					final_at: 'NULL',
					network: "'Dash'",
					asset: "'DASH'",
					to_address: `'${DASH_COLD}'`,
				})[name] ?? name,
		);
		await file
			.current()
			.sql(`INSERT INTO transactions SELECT ${values.join(', ')} FROM transactions WHERE id = ?2`, id, done?.id);
		await file.current().object<{ wake(network: string): Promise<void> }>('CHAIN_AGENT', 'Dash').wake('Dash');
		const row = await eventually('it to be refused', async () =>
			(await file.current().operator<{ subject: string; cause: string; todo: string }[]>('attention')).find(
				({ subject, cause }) => subject === id && cause.includes('no person has confirmed it with a passkey'),
			),
		);
		expect(row.todo).toContain(`payout give-up ${id}`);
		// That is a move too: without a sum, it asks for two.
		const giveUp = { id, reason: 'forged' };
		const { asked, persons } = await asksOf('payout/give-up', giveUp);
		expect([persons, asked.moves]).toEqual([2, [['give up', id, '']]]);
		expect(await operate('payout/give-up', { ...giveUp, _confirmation: signedBy(asked, [ann, ben]) })).toMatchObject({
			ok: true,
		});
	});
});

describe('coins that an order did not ask for', () => {
	it('do not go to an address that somebody has sealed without a person, and do once persons have confirmed it', async () => {
		const { operator, sql, local } = file.current();
		const partner = await createPartner(file.current());
		const terms = { fromCcy: 'USDTERC20', toCcy: 'LTC', amount: '500', toAddress: COLD, refundAddress: ETH_RECIPIENT };
		const { id } = (await create(file.current(), partner, terms)).data;
		const pay = async (amount: string) => {
			await operator('sandbox/deposit', { orders: [id], asset: 'USDCERC20', amount });
			await operator('order/find-stray', { id });
		};
		// Too little to go back by itself, so that it waits.
		await pay('0.01');
		const [row] = await sql<{ at: number }>('SELECT found_at AS at FROM strays WHERE order_id = ?', id);
		const place = { orderId: id, network: 'Ethereum', asset: 'USDCERC20', to: THIEF, at: Number(row?.at) } as const;
		const toSeal = await sealStray(keyRing(local.secrets, 'SEAL_KEY'), place);
		await sql('UPDATE strays SET to_address = ?, to_seal = ?, waits = NULL WHERE order_id = ?', THIEF, toSeal, id);
		await pay('500');
		const stopped = await eventually('the return to be refused', async () => {
			await endPauses(file.current());
			const rows = await operator<readonly { cause: string; subject: string }[]>('attention');
			return rows.find(({ cause }) => cause.includes('no person has confirmed it with a passkey (return)'));
		});
		const asks = await asksOf('order/return-stray', { id, asset: 'USDCERC20', to: THIEF, reason: 'asked' });
		expect(asks.asked.moves).toEqual([
			['give up', stopped.subject, ''],
			['return', id, 'Ethereum', 'USDCERC20', THIEF],
		]);
		const back = await asksOf('order/return-stray', { id, asset: 'USDCERC20', to: ETH_RECIPIENT, reason: 'asked' });
		expect(back.asked.moves).toEqual([['give up', stopped.subject, '']]);
		const input = { id, asset: 'USDCERC20', to: THIEF, reason: 'asked' };
		const _confirmation = signedBy(asks.asked, [ann, ben]);
		expect(await operate('order/return-stray', { ...input, _confirmation })).toMatchObject({ ok: true });
		await eventually('the return to be signed', async () => {
			await endPauses(file.current());
			const signed = "SELECT 1 FROM transactions WHERE kind = 'stray' AND to_address = ? AND tx_id IS NOT NULL";
			return (await sql(signed, THIEF)).length > 0;
		});
	});
});

/** Runs a command line, and answers its page on this machine as a browser does. */
async function typed(
	words: readonly string[],
	answer: (options: { challenge: string; user?: { id: string } }) => string,
) {
	const { url, stateDirectory } = file.current();
	const lines: string[] = [];
	let [stdout, page] = ['', ''];
	const use = async (address: string) => {
		page = await (await fetch(address)).text();
		const options = JSON.parse(/id="options">([^<]*)</.exec(page)?.[1] ?? '');
		const post = (body: string, origin: string) => fetch(address, { method: 'POST', headers: { origin }, body });
		expect((await post(answer(options), 'http://localhost:1')).status).toBe(400);
		expect((await fetch(`${HERE}/another`)).status).toBe(404);
		expect((await post(answer(options), HERE)).status).toBe(200);
	};
	const using: Promise<void>[] = [];
	const status = await runCommand(words, {
		output: {
			write(text) {
				stdout += text;
			},
		},
		complain(line) {
			lines.push(line);
			const address = /^open (\S+) and use your passkey$/.exec(line)?.[1];
			if (address) using.push(use(address));
		},
		environment: { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory },
		secret: async () => '',
	});
	await Promise.all(using);
	return { status, stdout, lines, page };
}

describe('the command', () => {
	it('shows what is asked on a page of this machine, and goes on with the passkey’s answer', async () => {
		const words = ['treasury', 'withdraw', 'eth', '--amount', '0.25', '--json'];
		const done = await typed(words, (options) => ben.get(options));
		expect(done.status).toBe(0);
		expect(JSON.parse(done.stdout)).toMatchObject({ amount: '0.25', toAddress: ETHEREUM_COLD });
		for (const shown of ['Withdraw coins from the hot wallet', '0.25', ETHEREUM_COLD])
			expect(done.page).toContain(shown);
	});

	it('says why the signer refuses, and where no passkey of this machine is known', async () => {
		const words = ['treasury', 'withdraw', 'dash', '--amount', '2.5'];
		const refused = await typed(words, (options) => ben.get(options, { verified: false }));
		expect(refused.status).toBe(1);
		expect(refused.lines.at(-1)).toContain('nothing was changed: the device did not verify its owner');
		const two = await typed(['treasury', 'withdraw', 'dash', '--amount', '900'], (options) => ben.get(options));
		expect(two.lines.at(-1)).toContain('run the command at the console');
	});

	it('makes the entry of a new passkey for the signer’s configuration', async () => {
		const carol = new Authenticator(HERE);
		const { status, stdout } = await typed(['passkey', 'carol', '--port', String(PORT)], (options) =>
			carol.create(options),
		);
		expect([status, stdout.trim()]).toEqual([0, entry('carol', HERE, carol)]);
		const passkeys = [{ person: 'carol', origin: HERE, id: carol.id, publicKey: carol.publicKey }];
		expect(configuredPasskeys({ OPERATOR_PASSKEYS: stdout } as SignerEnv)).toMatchObject({ passkeys });
	});
});

/** The console at `CONSOLE`, as a browser of an operator who has signed in. */
async function consoleVisitor() {
	const { miniflare, secrets } = file.current().local;
	let cookie = '';
	const post = async (path: string, fields: Readonly<Record<string, string>>) => {
		const response = await miniflare.dispatchFetch(CONSOLE + path, {
			method: 'POST',
			redirect: 'manual',
			body: new URLSearchParams(fields).toString(),
			headers: { origin: CONSOLE, cookie, 'content-type': 'application/x-www-form-urlencoded' },
		});
		const [kept] = response.headers.get('set-cookie')?.split(';') ?? [];
		cookie = kept ?? cookie;
		return { status: response.status, html: await response.text(), headers: new Headers() };
	};
	await post('/operator/sign-in', { token: secrets.OPERATOR_TOKEN, to: '/operator' });
	const get = async (path: string) => {
		const response = await miniflare.dispatchFetch(CONSOLE + path, { headers: { cookie } });
		return { status: response.status, html: await response.text(), headers: new Headers() };
	};
	return { get, post };
}

const unescaped = (fields: Readonly<Record<string, string>>) =>
	Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.replaceAll('&quot;', '"')]));

describe('the console', () => {
	const COMMAND = '/operator/command/treasury/withdraw';

	it('shows what is asked, and runs the command with the passkey’s answer', async () => {
		const { get, post } = await consoleVisitor();
		const first = hiddenFields(await get(`${COMMAND}?asset=DASH&amount=1.75`), COMMAND);
		const asked = await post(COMMAND, {
			...first,
			_form: crypto.randomUUID(),
			_sure: 'yes',
			asset: 'DASH',
			amount: '1.75',
		});
		for (const shown of ['Confirm with your passkey', 'Nothing was changed yet', '1.75', DASH_COLD])
			expect(asked.html).toContain(shown);
		const fields = unescaped(hiddenFields(asked, COMMAND));
		const options = JSON.parse((await post('/operator/passkey/options', fields)).html);
		expect(options).toMatchObject({ rpId: 'swap.example', userVerification: 'required' });
		expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([ann.id, annsOther.id]);
		const done = await post(COMMAND, { ...fields, answer: ann.get(options) });
		expect(done.html).toContain('Done: ');
		expect(
			await file
				.current()
				.sql('SELECT 1 FROM transactions WHERE id = ?', JSON.parse(fields['_asks'] ?? '').asked.moves[0][1]),
		).toHaveLength(1);
	});

	it('asks the second person after the first, and not the same one again', async () => {
		const { get, post } = await consoleVisitor();
		const form = hiddenFields(await get(`${COMMAND}?asset=SOL&amount=80`), COMMAND);
		const asked = await post(COMMAND, {
			...form,
			_form: crypto.randomUUID(),
			_sure: 'yes',
			asset: 'LTC',
			amount: '80',
		});
		expect(asked.html).toContain('person 1 of 2');
		const fields = unescaped(hiddenFields(asked, COMMAND));
		const options = JSON.parse((await post('/operator/passkey/options', fields)).html);
		const second = await post(COMMAND, { ...fields, answer: ann.get(options) });
		expect(second.html).toContain('person 2 of 2');
		expect(second.html).toContain('The signer knows no further passkey of this site');
	});

	it('makes the entry of a new passkey', async () => {
		const { get, post } = await consoleVisitor();
		const fields = { ...unescaped(hiddenFields(await get('/operator/passkey'), '/operator/passkey')), person: 'dora' };
		const dora = new Authenticator(CONSOLE);
		const options = JSON.parse((await post('/operator/passkey/options', fields)).html);
		const { html } = await post('/operator/passkey', { ...fields, answer: dora.create(options) });
		expect(html).toContain(entry('dora', CONSOLE, dora));
		const another = await post('/operator/passkey', { ...fields, answer: dora.create(options, { origin: HERE }) });
		expect(another.html).toContain('does not hold');
	});
});

describe('the signer, asked by who has every binding of the API Worker', () => {
	const said = { looked: true, not: [] };
	it.each<[string, Parameters<typeof signer>]>([
		['a payout', ['giveUp', 'payout', 'order']],
		['a withdrawal', ['giveUp', 'withdrawal', null]],
	])('does not give up %s without persons', async (_, call) => {
		await expect(signer(...call)).rejects.toThrow('no person has confirmed it with a passkey (give up)');
	});

	it('does not let pay what may have been sent before a restore, nor a stray that went back', async () => {
		const unconfirmed = 'no person has confirmed it with a passkey (confirm restored)';
		await expect(signer('confirmOwn', said)).rejects.toThrow(unconfirmed);
		await expect(signer('confirmOrders', ['order'], said)).rejects.toThrow(unconfirmed);
		await expect(signer('paidOther', 'order', 'LTC', 'txid')).rejects.toThrow('(another payment)');
	});

	it('takes a confirmation for the moves that were signed and no others', async () => {
		const asks = (await signer('askPersons', [['confirm restored', '', 'own', 'looked', '']])) as AskedPersons;
		expect(await signer('confirm', signedBy(asks.asked, [ann, ben]))).toEqual(['ann', 'ben']);
		await expect(signer('confirmOwn', { ...said, not: ['another'] })).rejects.toThrow('no person');
		await expect(signer('confirmOrders', [], said)).rejects.toThrow('no person');
		const disguised = { ...said, orders: [], own: true };
		await expect(signer('confirmOrders', ['order'], disguised)).rejects.toThrow('no person');
		expect(await signer('confirmOwn', said)).toBeNull();
	});
});
