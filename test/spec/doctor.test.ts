/** `doctor` and `/healthz`: what a deployment needs, and what is wrong with one that is half broken. */
import { expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile();
const { run } = operatorOf(service.current);

it('try', async () => {
	const r = await run('doctor');
	console.log(r.stdout, r.stderr, r.status);
	const h = await fetch(`${service.current().url}/healthz`);
	console.log(h.status, await h.text(), [...h.headers]);
	expect(1).toBe(1);
});
