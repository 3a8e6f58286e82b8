/** The signer sends withdrawals only to the addresses in its own configuration, and no more in a day than each one's cap. */
import { describe, expect, it } from 'vitest';
import type { SignerEnv } from '../../src/signer/env.ts';
import { isRefusal } from '../../src/signer/refusal.ts';
import { configuredAddresses } from '../../src/signer/withdrawals/addresses.ts';
import { addressCapRefusal, judgeWithdrawal } from '../../src/signer/withdrawals/judge.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';

const COLD = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const KRAKEN = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const OURS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const OF_LITECOIN = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';

describe('the addresses in the configuration', () => {
	const found = (WITHDRAW_TO_ETHEREUM?: string) =>
		configuredAddresses(
			{ SANDBOX: 'on', ...(WITHDRAW_TO_ETHEREUM !== undefined && { WITHDRAW_TO_ETHEREUM }) } as unknown as SignerEnv,
			'Ethereum',
			{ isAddress: (text) => /^0x/.test(text), isOurs: (text) => text === OURS },
		);
	const cold = { name: 'cold', address: COLD, capCents: null };

	it.each([
		[COLD, [cold]],
		[` ${COLD}\n`, [cold]],
		[`${COLD}/12.5`, [{ ...cold, capCents: 1250 }]],
		[`vault-2=${COLD}/0`, [{ name: 'vault-2', address: COLD, capCents: 0 }]],
		[`cold=${COLD}, kraken=${KRAKEN}/5000`, [cold, { name: 'kraken', address: KRAKEN, capCents: 500_000 }]],
	])('%j is read, in its order', (text, addresses) => {
		expect(found(text)).toEqual({ addresses });
	});

	const NOT_SET = 'the signer has no address to withdraw to: set its variable WITHDRAW_TO_ETHEREUM';
	const malformed = (position: number) =>
		`entry ${position} of the signer's WITHDRAW_TO_ETHEREUM is not like cold=ADDRESS or kraken=ADDRESS/5000`;
	const doubled = (name: string) =>
		`${name} in the signer's WITHDRAW_TO_ETHEREUM has a name or an address that an entry before it has`;

	it.each([
		[undefined, NOT_SET],
		['', NOT_SET],
		[OF_LITECOIN, "cold in the signer's WITHDRAW_TO_ETHEREUM is no address of Ethereum"],
		[`cold=${COLD},kraken=${OF_LITECOIN}`, "kraken in the signer's WITHDRAW_TO_ETHEREUM is no address of Ethereum"],
		[`cold=${OURS}`, "cold in the signer's WITHDRAW_TO_ETHEREUM is an address of the service itself"],
		[`cold=${COLD},cold=${KRAKEN}`, doubled('cold')],
		[`cold=${COLD},kraken=${COLD.toLowerCase()}/5`, doubled('kraken')],
		[`cold=${COLD},${KRAKEN}`, malformed(2)],
		[`${COLD},kraken=${KRAKEN}`, malformed(1)],
		[`cold=${COLD},`, malformed(2)],
		[`Cold=${COLD}`, malformed(1)],
		[`=${COLD}`, malformed(1)],
		['cold=', malformed(1)],
		[`cold=${COLD}/`, malformed(1)],
		[`cold=${COLD}/5k`, malformed(1)],
		[`cold=${COLD}/-5`, malformed(1)],
		[`cold=${COLD}/5.001`, malformed(1)],
		[`cold=${COLD}/5/5`, malformed(1)],
		[`cold=${COLD} kraken=${KRAKEN}`, malformed(1)],
	])('are all refused, by name, when they are %j', (text, refused) => {
		const addresses = found(text);
		expect('refused' in addresses && refusalText(addresses.refused)).toBe(refused);
	});
});

describe('a withdrawal', () => {
	const cold = { name: 'cold', address: COLD, capCents: null, usedCents: 0 };
	const kraken = { name: 'kraken', address: KRAKEN, capCents: 500_000, usedCents: 499_000 };
	const row = { asset: 'USDTERC20', network: 'Ethereum', toAddress: COLD, amount: '1' } as const;
	const judged = (more: Record<string, unknown>, configured: Parameters<typeof judgeWithdrawal>[2]) =>
		judgeWithdrawal({ ...row, ...more } as typeof row, 'Ethereum', configured);

	it.each([
		[{}, cold],
		[{ amount: '120' }, cold],
		[{ toAddress: KRAKEN }, kraken],
	])('with %j goes to an address that is configured', (more, to) => {
		expect(judged(more, { addresses: [cold, kraken] })).toEqual(to);
	});

	const OTHER = 'another recipient than those that the signer is configured with';

	it.each([
		[{ toAddress: COLD.toLowerCase() }, OTHER],
		[{ toAddress: OURS }, OTHER],
		[{ toAddress: 'cold' }, OTHER],
		[{ network: 'BSC' }, 'another network'],
		[{ asset: 'USDTBEP20' }, 'another network'],
		[{ asset: 'GOLD' }, 'another network'],
		[{ amount: '0' }, 'an amount that is none'],
		[{ amount: '-1' }, 'an amount that is none'],
		[{ amount: '1.5' }, 'an amount that is none'],
		[{ amount: '' }, 'an amount that is none'],
	])('with %j is refused: %s', (more, refused) => {
		const answer = judged(more, { addresses: [cold, kraken] });
		expect(isRefusal(answer) && refusalText(answer)).toBe(refused);
	});

	it('is refused with the reason why there is no address', () => {
		const refused = { kind: 'withdraw-address-not-set', variable: 'WITHDRAW_TO_ETHEREUM' } as const;
		expect(judged({}, { refused })).toEqual(refused);
	});

	it('is no more in a day than the cap of its address', () => {
		const refusal = (cents: number) => addressCapRefusal('Ethereum', kraken, cents);
		expect([addressCapRefusal('Ethereum', cold, 1e12), refusal(1_000)]).toEqual([null, null]);
		const above = refusal(1_001);
		expect(above).toMatchObject({ kind: 'daily-cap', purpose: 'withdrawal' });
		expect(above && refusalText(above)).toBe(
			'daily cap of withdrawals to kraken: 10.01 USD is more than is left today, 10.00 USD; 4990.00 of 5000.00 USD are used; it goes on after 00:00 UTC, or raise WITHDRAW_TO_ETHEREUM of the signer',
		);
		const never = refusal(500_001);
		expect(never && refusalText(never)).toBe(
			'daily cap of withdrawals to kraken: 5000.01 USD is more than 5000.00 USD, all of a day (WITHDRAW_TO_ETHEREUM)',
		);
	});
});
