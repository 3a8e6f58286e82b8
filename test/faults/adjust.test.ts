/** `ledger adjust`: what differs for good between a wallet and the books is booked, at most as much as differs. */
import { expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile({});
const { json, refusal, run } = operatorOf(file.current);

interface Check {
	readonly differences: number;
	readonly wallets: readonly { readonly asset: string; readonly difference: string }[];
}

const check = () => file.current().operator<Check>('ledger/check');
const difference = async () => (await check()).wallets.find(({ asset }) => asset === 'LTC')?.difference;
const adjust = (amount: string) => ['ledger', 'adjust', 'LTC', '--amount', amount, '--reason', 'set back'] as const;

it('a wallet that has less, or more, than the books say agrees again, and the audit log says why', async () => {
	await eventually('the books to agree', async () => (await check()).differences === 0);
	expect(await refusal(...adjust('1'))).toContain('shows no difference of LTC that stays: it is ok');
	const ledger = file.current().object<{ broadcast(payout: object): Promise<void> }>('SANDBOX_LEDGER', 'Litecoin');
	await ledger.broadcast({ txId: 'elsewhere', asset: 'LTC', to: 'elsewhere', amount: '300000000', fee: '0' });
	expect(await difference()).toBe('-3');
	expect(await refusal(...adjust('3.00000001'))).toContain('only 3 LTC differ');
	expect(await json(...adjust('1'))).toMatchObject({ booked: '-1', left: '2' });
	expect(await json(...adjust('2'))).toMatchObject({ booked: '-2', left: '0' });
	expect(await difference()).toBe('0');
	// The books forget coins that are there.
	await file.current().sql("DELETE FROM reserve_entries WHERE asset = 'LTC' AND position <> 'adjustment'");
	const more = String(await difference());
	expect(Number(more)).toBeGreaterThan(0);
	expect(await json(...adjust(more))).toMatchObject({ booked: more, left: '0' });
	expect((await run('ledger', 'check')).status).toBe(0);
	const { stdout } = await run('audit', 'list', '--json');
	expect(stdout).toContain('"ledger adjust"');
	expect(stdout).toContain('set back');
});
