/** The protection of Monero's wallets: digest authentication by RFC 2617's example, and the cold wallet's policy. */
import { describe, expect, it } from 'vitest';
import { answerTo, challengeOf } from '../../src/chains/monero/digest.ts';
import { type Allowed, DESCRIPTION, feeRefusal, refusalOf } from '../../src/chains/monero/policy.ts';
import { parseTransaction } from '../../src/chains/monero/transaction.ts';

describe('digest authentication', () => {
	it('gives the answer of RFC 2617 section 3.5', () => {
		const challenge = { realm: 'testrealm@host.com', nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093' };
		const credentials = { user: 'Mufasa', password: 'Circle Of Life' };
		const header = answerTo(challenge, credentials, { method: 'GET', uri: '/dir/index.html', cnonce: '0a4f113b' });
		expect(header).toContain('response="6629fae49393a05397450978507c4ef1"');
		expect(header).toMatch(/^Digest username="Mufasa", realm="testrealm@host.com", .*qop=auth, nc=00000001$/);
	});

	it("reads the first of the two challenges that Monero's programs send", () => {
		const header =
			'Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="0UpJjZ6vkYr4vVfvTu/GNQ==",stale=false, ' +
			'Digest qop="auth",algorithm=MD5-sess,realm="monero-rpc",nonce="0UpJjZ6vkYr4vVfvTu/GNQ==",stale=false';
		expect(challengeOf(header)).toEqual({ realm: 'monero-rpc', nonce: '0UpJjZ6vkYr4vVfvTu/GNQ==' });
		expect(challengeOf('Basic realm="monero-rpc"')).toBeNull();
		expect(challengeOf(null)).toBeNull();
	});
});

const ALLOWED: Allowed = { to: 'recipient', amount: 1_000n, changeAddress: 'hot', fee: { perByte: 2n, most: 50n } };
const PROPOSED = {
	amount_in: 5_000,
	recipients: [{ address: 'recipient', amount: 1_000 }],
	change_amount: 3_960,
	change_address: 'hot',
	fee: 40,
	unlock_time: 0,
};

const refusal = (...proposed: object[]) => refusalOf(DESCRIPTION.parse({ desc: proposed }), ALLOWED);

describe('the cold wallet', () => {
	it('signs the payment, with change to the hot wallet or without change', () => {
		expect(refusal(PROPOSED)).toBeNull();
		expect(refusal({ ...PROPOSED, amount_in: 1_040, change_amount: 0, change_address: '' })).toBeNull();
		expect(refusal({ ...PROPOSED, fee: 50, amount_in: 5_010 })).toBeNull();
	});

	it.each<[string, object]>([
		['another recipient', { recipients: [{ address: 'attacker', amount: 1_000 }] }],
		['no recipient', { recipients: [], change_amount: 4_960 }],
		['one recipient more', { recipients: [...PROPOSED.recipients, { address: 'attacker', amount: 1 }] }],
		['a larger amount', { recipients: [{ address: 'recipient', amount: 1_001 }], change_amount: 3_959 }],
		['a smaller amount', { recipients: [{ address: 'recipient', amount: 999 }], change_amount: 3_961 }],
		['change to a stranger', { change_address: 'attacker' }],
		['change that is not the whole remainder', { change_amount: 3_000 }],
		['a fee above the maximum', { fee: 51, change_amount: 3_949 }],
		['no fee', { fee: 0, change_amount: 4_000 }],
		['a locked payment', { unlock_time: 1 }],
	])('does not sign %s', (_what, more) => {
		expect(refusal({ ...PROPOSED, ...more })).not.toBeNull();
	});

	it('does not sign more than the largest transaction may cost, however much the amount allows', () => {
		const rich: Allowed = { ...ALLOWED, amount: 1_000_000n, fee: { perByte: 1n, most: 1_000_000n } };
		const proposed = (fee: number) =>
			DESCRIPTION.parse({
				desc: [
					{
						...PROPOSED,
						recipients: [{ address: 'recipient', amount: 1_000_000 }],
						amount_in: 1_000_000 + fee,
						change_amount: 0,
						fee,
					},
				],
			});
		expect(refusalOf(proposed(149_400), rich)).toBeNull();
		expect(refusalOf(proposed(149_401), rich)).toMatch('a fee of 149401');
	});

	it.each([
		['what its bytes cost', 20n, 10, true],
		['more than its bytes cost', 21n, 10, false],
		['as much as any may cost', 50n, 1_000, true],
		['more than any may cost', 51n, 1_000, false],
	])('keeps a signature or not: one that pays %s', (_what, fee, bytes, keeps) => {
		expect(feeRefusal(fee, bytes, ALLOWED) === null).toBe(keeps);
	});

	it('does not sign two transactions, or none', () => {
		expect(refusal(PROPOSED, PROPOSED)).not.toBeNull();
		expect(refusal()).not.toBeNull();
	});
});

describe("a Monero transaction's bytes", () => {
	it.each([
		['nothing', ''],
		['no hex', 'zz'],
		['version 1', '0100'],
		['a coinbase transaction', `020001ff0a${'00'.repeat(80)}`],
		['more inputs than there can be', '0200ffffffffffffffff7f'],
		['an end too early', '020001020010'],
		['a number without end', `02${'80'.repeat(40)}`],
	])('are not read where they are %s', (_what, raw) => {
		expect(parseTransaction(raw)).toBeNull();
	});
});
