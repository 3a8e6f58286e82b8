/** The signer sends withdrawals only to the address in its own configuration. */
import { describe, expect, it } from 'vitest';
import type { SignerEnv } from '../../src/signer/env.ts';
import { configuredAddress, withdrawalRefusal } from '../../src/signer/withdrawals/judge.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';

const ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const OURS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

describe('the address in the configuration', () => {
	const found = (WITHDRAW_TO_ETHEREUM?: string) =>
		configuredAddress(
			{ SANDBOX: 'on', ...(WITHDRAW_TO_ETHEREUM !== undefined && { WITHDRAW_TO_ETHEREUM }) } as unknown as SignerEnv,
			'Ethereum',
			{ isAddress: (text) => /^0x/.test(text), isOurs: (text) => text === OURS },
		);

	it.each([ADDRESS, ` ${ADDRESS}\n`])('is used as written: %j', (text) => {
		expect(found(text)).toEqual({ address: ADDRESS });
	});

	it.each([
		[undefined, 'the signer has no address to withdraw to: set its variable WITHDRAW_TO_ETHEREUM'],
		['', 'the signer has no address to withdraw to: set its variable WITHDRAW_TO_ETHEREUM'],
		['ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', "the signer's WITHDRAW_TO_ETHEREUM is no address of Ethereum"],
		[OURS, "the signer's WITHDRAW_TO_ETHEREUM is an address of the service itself"],
	])('is refused by name when it is %s', (text, refused) => {
		const address = found(text);
		expect('refused' in address && refusalText(address.refused)).toBe(refused);
	});
});

describe('a withdrawal', () => {
	const row = { asset: 'USDTERC20', network: 'Ethereum', toAddress: ADDRESS, amount: '1' } as const;
	const refusalOf = (more: Record<string, unknown>, configured: Parameters<typeof withdrawalRefusal>[2]) => {
		const refusal = withdrawalRefusal({ ...row, ...more } as typeof row, 'Ethereum', configured);
		return refusal && refusalText(refusal);
	};

	it.each([
		[{}, null],
		[{ amount: '120' }, null],
		[{ toAddress: ADDRESS.toLowerCase() }, 'another recipient than the one that the signer is configured with'],
		[{ toAddress: OURS }, 'another recipient than the one that the signer is configured with'],
		[{ network: 'BSC' }, 'another network'],
		[{ asset: 'USDTBEP20' }, 'another network'],
		[{ asset: 'GOLD' }, 'another network'],
		[{ amount: '0' }, 'an amount that is none'],
		[{ amount: '-1' }, 'an amount that is none'],
		[{ amount: '1.5' }, 'an amount that is none'],
		[{ amount: '' }, 'an amount that is none'],
	])('with %j: %s', (more, refused) => {
		expect(refusalOf(more, { address: ADDRESS })).toBe(refused);
	});

	it('is refused with the reason why there is no address', () => {
		const refused = { kind: 'withdraw-address-not-set', variable: 'WITHDRAW_TO_ETHEREUM' } as const;
		expect(refusalOf({}, { refused })).toBe(refusalText(refused));
	});
});
