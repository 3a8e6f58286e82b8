/** The operator's text of a signer's refusal, also when the two Workers run different versions. */
import { describe, expect, it } from 'vitest';
import { isAlert, refusalPasses, refusalText, type SignerRefusal } from '../../src/treasury/signer-refusal.ts';

const dailyCap = { kind: 'daily-cap', purpose: 'refund', cents: 76_000, usedCents: 98_050, capCents: 150_000 } as const;

describe('a refusal of the signer', () => {
	it.each<[SignerRefusal, string, string, boolean]>([
		[{ kind: 'no-deposit' }, 'no deposit', 'never', true],
		[{ kind: 'no-fresh-price' }, 'no fresh price', 'by-itself', false],
		[
			dailyCap,
			'daily refund cap of the signer: 760.00 USD is more than is left today, 519.50 USD; 980.50 of 1500.00 USD are used; it goes on after 00:00 UTC, or raise SIGNER_DAILY_REFUND_CAP_USD of the signer',
			...(['by-itself', false] as const),
		],
		[
			{ kind: 'reserve-too-low', detail: 'Litecoin cannot pay' },
			'Litecoin cannot pay; fill the hot wallet, then it goes on by itself',
			'after-a-person',
			true,
		],
		[
			{ kind: 'payout-address-too-new' },
			'the payout address was changed less than 24 h ago',
			...(['by-itself', true] as const),
		],
	])(
		'%o has a text, and says whether it is temporary and whether the operator is called',
		(refusal, text, passes, alert) => {
			expect([refusalText(refusal), refusalPasses(refusal), isAlert(refusal)]).toEqual([text, passes, alert]);
		},
	);

	it('reads the same after it was stored as JSON', () => {
		const stored = JSON.parse(JSON.stringify(dailyCap)) as SignerRefusal;
		expect(stored).toEqual(dailyCap);
		expect(refusalText(stored)).toBe(refusalText(dailyCap));
	});

	it('of a kind that only a newer version knows shows its kind and facts, and calls the operator', () => {
		const newer = { kind: 'moon-phase', degrees: 12 } as unknown as SignerRefusal;
		expect(refusalText(newer)).toBe(
			'the signer refuses for a reason that this version does not know: {"kind":"moon-phase","degrees":12}',
		);
		expect([refusalPasses(newer), isAlert(newer)]).toEqual(['after-a-person', true]);
	});
});
