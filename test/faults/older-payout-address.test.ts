/**
 * A partner has replaced the address that their earnings are paid to, and D1 is set back to the one of before, seal and
 * all. The signer knows which one was set last: nothing goes to the older one.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { changedAgo, earn, paidTo, payoutsTo, type ShownPayout } from '../support/earnings.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile();
const operator = <T>(command: string, input: object) => file.current().operator<T>(command, input as never);
let partner: Credentials;
let [older, newer] = ['', ''];
let addresses = 0;

const COLUMNS = ['payout_asset', 'payout_address', 'payout_address_changed_at', 'payout_seal'] as const;

/** Puts the row back as it is now, as a database that is set back would have it. */
async function takenDown(): Promise<() => Promise<unknown>> {
	const [row] = await file.current().sql(`SELECT ${COLUMNS.join(', ')} FROM partners WHERE id = ?`, partner.id);
	const set = COLUMNS.map((name) => `${name} = ?`).join(', ');
	const values = COLUMNS.map((name) => row?.[name]);
	return () => file.current().sql(`UPDATE partners SET ${set} WHERE id = ?`, ...(values as string[]), partner.id);
}

const payOut = () => operator<ShownPayout>('earnings/pay-out', { partner: partner.id });
const shown = async () =>
	(await operator<{ payouts: ShownPayout[] }>('earnings/show', { partner: partner.id })).payouts;
const replace = (payoutAddress: string) =>
	operator('partner/update', { id: partner.id, payoutAsset: 'ETH', payoutAddress });
const timesPaid = async () =>
	Promise.all([older, newer].map(async (to) => (await payoutsTo(file.current(), 'Ethereum', to)).length));
const untilPaid = (payoutId: string) =>
	eventually('the payout to be sent', async () =>
		(await shown()).find((each) => each.payoutId === payoutId && ['sent', 'final'].includes(each.state)),
	);
const OLDER = 'is not the one that was set last; set the address again';

beforeEach(async () => {
	partner = await createPartner(file.current(), { afftaxBps: 200 });
	[older, newer] = [++addresses, ++addresses].map((n) => `0x${n.toString(16).padStart(40, 'b')}`) as [string, string];
	await paidTo(file.current(), partner, older, { asset: 'ETH', hours: 48 });
	await earn(file.current(), partner, {});
});

describe('a payout to an address that was replaced', () => {
	it('is not planned, and goes to the newer one once that is set again', async () => {
		const setBack = await takenDown();
		await replace(newer);
		await setBack();
		await expect(payOut()).rejects.toThrow(OLDER);
		expect(await shown()).toEqual([]);
		await replace(newer);
		await expect(payOut()).rejects.toThrow('it can be used from 20');
		await changedAgo(file.current(), partner.id, 24);
		await untilPaid((await payOut()).payoutId);
		expect(await timesPaid()).toEqual([0, 1]);
	});

	it('is not planned with another asset alone, and the very address that D1 has can be set again', async () => {
		const setBack = await takenDown();
		await replace(newer);
		await setBack();
		await expect(operator('partner/update', { id: partner.id, payoutAsset: 'USDTERC20' })).rejects.toThrow(
			'is not the one that was set last; give the address as well',
		);
		await replace(older);
		await expect(payOut()).rejects.toThrow('it can be used from 20');
		await changedAgo(file.current(), partner.id, 24);
		await untilPaid((await payOut()).payoutId);
		expect(await timesPaid()).toEqual([1, 0]);
	});

	it('that was planned before is refused by the signer, until the address is set again', async () => {
		const service = file.current();
		await service.operator('network/update', { name: 'Ethereum', send: false });
		const { payoutId } = await payOut();
		const setBack = await takenDown();
		await replace(newer);
		await setBack();
		await service.operator('network/update', { name: 'Ethereum', send: true });
		await eventually('the signer to refuse it', async () =>
			service
				.logged('signing_refused')
				.some((line) => line['payoutId'] === payoutId && line['kind'] === 'payout-address-older'),
		);
		expect((await shown())[0]?.held).toContain('set the right one and its asset by partner update');
		await replace(newer);
		await changedAgo(service, partner.id, 24);
		await untilPaid((await payOut()).payoutId);
		expect(await timesPaid()).toEqual([0, 1]);
	});
});
