/**
 * The whole service without a node of its own: the API Worker on an Esplora, the signer on a Blockbook, both over one real
 * litecoind.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import { startBlockbook } from '../support/blockbook-front.ts';
import { startEsplora } from '../support/esplora-front.ts';
import type { Front } from '../support/front.ts';
import { isInstalled } from '../support/nodes.ts';
import { create, untilStatus } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import { FINAL, payoutOf, startUtxoService, type UtxoService } from '../support/utxo-service.ts';

const SETUP_MILLISECONDS = 300_000;
const WAIT_MILLISECONDS = 60_000;

describe.skipIf(!isInstalled('litecoind'))('a service whose Workers have different providers, and none a node', () => {
	let service: UtxoService;
	let esplora: Front;
	let blockbook: Front;

	beforeAll(async () => {
		service = await startUtxoService(
			['5', '5'],
			async (url) => {
				esplora = await startEsplora(jsonRpc([url]));
				return `esplora+${esplora.url}`;
			},
			async (url) => {
				blockbook = await startBlockbook(jsonRpc([url]));
				return `blockbook+${blockbook.url}`;
			},
		);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await service?.stop();
		await Promise.all([esplora?.stop(), blockbook?.stop()]);
	});

	const opened = async () => {
		const { data, text } = await create(service.service, service.partner, { refundAddress: service.refundAddress });
		if (!data) throw new Error(text);
		return data;
	};
	const until = (order: Awaited<ReturnType<typeof opened>>, status: 'PENDING' | 'EXCHANGE' | 'DONE') =>
		untilStatus(service.service, service.partner, order, status, WAIT_MILLISECONDS);
	const lastError = async () => {
		const list = await service.service.operator<{ name: string; lastError: string | null }[]>('network/list');
		return list.find(({ name }) => name === 'Litecoin')?.lastError ?? '';
	};

	test(
		'sees a payment in the mempool, and pays once both have read its blocks',
		async () => {
			const order = await opened();
			await service.node.rpc('sendtoaddress', order.from.address, '1');
			await until(order, 'PENDING');
			await service.node.mine(FINAL);
			expect((await until(order, 'DONE')).from.tx.amount).toBe('1');
		},
		SETUP_MILLISECONDS,
	);

	test(
		'pays out, and the transaction is in the node that is behind both',
		async () => {
			const { txId } = await payoutOf(service, service.refundAddress);
			expect(await service.node.rpc('getrawmempool')).toContain(txId);
		},
		SETUP_MILLISECONDS,
	);

	test(
		'waits while a provider limits it, says so, and goes on where it was',
		async () => {
			const order = await opened();
			esplora.lie = () => ({ status: 429, json: { error: 'Rate limit exceeded' } });
			await service.node.rpc('sendtoaddress', order.from.address, '1');
			await service.node.mine(FINAL);
			await eventually('the network to say why', async () => /HTTP 429/.test(await lastError()), WAIT_MILLISECONDS);
			esplora.lie = () => null;
			await until(order, 'DONE');
		},
		SETUP_MILLISECONDS,
	);

	test(
		'pays nothing while the signer has not got the block from its own provider',
		async () => {
			const order = await opened();
			blockbook.lie = ({ path }) =>
				path.includes('rawblock') ? { status: 400, json: { error: 'Block not found' } } : null;
			await service.node.rpc('sendtoaddress', order.from.address, '1');
			await service.node.mine(FINAL);
			await until(order, 'EXCHANGE');
			const refused = blockbook.asked.length;
			await eventually(
				'the signer to ask for the block again',
				async () => blockbook.asked.slice(refused).some(({ path }) => path.includes('rawblock')),
				WAIT_MILLISECONDS,
			);
			await until(order, 'EXCHANGE');
			blockbook.lie = () => null;
			await until(order, 'DONE');
		},
		SETUP_MILLISECONDS,
	);
});
