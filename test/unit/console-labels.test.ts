/** Labels of the console's forms, and names of assets. */
import { expect, it } from 'vitest';
import { labelOf, labelOfInput, withLabels } from '../../src/operator/topics/labels.ts';
import { assetName, coinName, withAssetNames } from '../../src/pages/asset-names.ts';
import { COMMANDS } from '../../src/pages/operator/commands.ts';
import { NO_WORDS } from '../support/console-pages.ts';

/** `maxUsd`: max usd. */
const wordsIn = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

it('no field of a command has its own name as label, unless that is one word of plain English', () => {
	for (const { words, declaration } of COMMANDS)
		for (const [field, { names }] of [
			...Object.entries(declaration.arguments),
			...Object.entries(declaration.options),
		]) {
			const label = labelOfInput(field, names);
			expect([words, field, label]).toEqual([words, field, expect.stringMatching(/^[A-Z][a-z ]/)]);
			expect([words, field, NO_WORDS.test(label)]).toEqual([words, field, false]);
			if (/[A-Z]/.test(field)) expect([field, label.toLowerCase()]).not.toEqual([field, wordsIn(field)]);
		}
});

it('no button is the words of the command line', () => {
	for (const { words, declaration } of COMMANDS)
		if (!declaration.reads) expect([words, declaration.button]).toEqual([words, expect.stringMatching(/^[A-Z][a-z ]/)]);
});

it.each([
	['priceUsd', 'Price, US dollars'],
	['createdAt', 'Created'],
	['partnerId', 'Partner'],
	['lagSeconds', 'Time since a poll, seconds'],
])('over an answer %s is “%s”', (field, label) => expect(labelOf(field)).toBe(label));

it('a text for people has labels instead of options', () => {
	expect(withLabels('with --confirmations-above, and --env')).toBe('with “Confirmations of large deposits”, and --env');
});

it('an asset is its coin and its network; beside an amount the network stands only where there are several', () => {
	expect([assetName('USDCPOL'), assetName('LTC'), assetName('0xabc')]).toEqual([
		'USDC · Polygon',
		'LTC · Litecoin',
		'0xabc',
	]);
	expect([coinName('USDCPOL'), coinName('LTC')]).toEqual(['USDC · Polygon', 'LTC']);
	expect(withAssetNames('12 USDCPOL and 1 DASH')).toBe('12 USDC · Polygon and 1 DASH');
});
