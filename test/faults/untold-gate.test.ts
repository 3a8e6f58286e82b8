/** A partner changes where they are paid while their gate cannot be reached: the operator is told nevertheless. */
import { expect, it } from 'vitest';
import { API_WORKER, type LocalWorkers } from '../../src/local/workers.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { LTC_REFUND } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const OTHER = 'ltc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qmu8tk5';
/** The gate's method, as it stands in the minified Worker. */
const CHANGED = /async changed\(\w+,\w+\)\{(?=await this\.#\w+\?\.catch)/g;
const arrange = (workers: LocalWorkers): LocalWorkers =>
	workers.map((worker) => {
		if (worker.name !== API_WORKER) return worker;
		expect(worker.script.match(CHANGED)).toHaveLength(1);
		const script = worker.script.replace(CHANGED, (begin) => `${begin} throw new Error('unreachable');`);
		return Object.assign({ ...worker }, { script });
	});
const service = serviceForFile({}, { pages: true, arrange });

it('a payout address that is changed in the cabinet is an incident, though the answer is a failure', async () => {
	const { id } = await createPartner(service.current(), { name: 'Alpha Wallet' });
	const visitor = await new CabinetVisitor(service.current()).enter(id);
	await visitor.get('/cabinet/earnings');
	const fields = { payoutAsset: 'LTC', payoutAddress: LTC_REFUND };
	const incidents = () =>
		service.current().sql("SELECT subject, detail, times FROM incidents WHERE kind = 'payout-address-changed'");
	const told = [{ subject: id, detail: `LTC ${LTC_REFUND}`, times: 1 }];
	for (const _ of ['changed', 'the same again']) {
		const page = await visitor.confirmed('/cabinet/earnings', 'payout', fields);
		expect(page.text).toContain('does not apply at once everywhere');
		expect(await incidents()).toEqual(told);
	}
	await visitor.confirmed('/cabinet/earnings', 'payout', { ...fields, payoutAddress: OTHER });
	expect(await incidents()).toEqual([{ subject: id, detail: `LTC ${OTHER}`, times: 2 }]);
});
