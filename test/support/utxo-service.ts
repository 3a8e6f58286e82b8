/** The real service on a real litecoind, looking at it every second; all other networks are on the sandbox. */
import { rmSync } from 'node:fs';
import type { Answer, BumpOutcome, Remembered, StuckTransaction } from '../../src/ports/signer.ts';
import { type Litecoind, startLitecoind } from './litecoind.ts';
import { type CreatedOrder, create, untilStatus } from './orders.ts';
import { type Credentials, createPartner } from './partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from './service.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Litecoin's finality. */
export const FINAL = 6;
/** Longest wait for the pool of addresses on a busy machine. */
const ORDERS_MILLISECONDS = 200_000;

export interface UtxoService {
	readonly node: Litecoind;
	readonly service: TestService;
	readonly partner: Credentials;
	readonly receiver: WebhookReceiver;
	readonly refundAddress: string;
	/** What the API Worker may ask of the signer, for tests that call it directly. */
	bump(stuck: readonly StuckTransaction[]): Promise<BumpOutcome[]>;
	/** Lets the watchdog's minute pass: every agent polls now. */
	wake(): Promise<void>;
	stop(): Promise<void>;
}

interface Vault {
	bump(network: string, stuck: readonly StuckTransaction[], remembered: Remembered): Promise<Answer<BumpOutcome[]>>;
}

interface Agent {
	wake(network: string): Promise<void>;
}

/**
 * `reserve`: coins that the hot wallet starts with, each an output of its own, deep enough to be spent. `through`: the URL
 * at which the service asks the node; `signerThrough`: the signer's own, if it has one.
 */
export async function startUtxoService(
	reserve: readonly string[] = [],
	through = async (url: string): Promise<string> => url,
	signerThrough: ((url: string) => Promise<string>) | null = null,
): Promise<UtxoService> {
	const [node, receiver] = await Promise.all([startLitecoind(), startWebhookReceiver()]);
	const variables = {
		NODE_URL_LITECOIN: await through(node.url),
		NODE_CHAIN_LITECOIN: 'regtest',
		NODE_POLL_SECONDS_LITECOIN: '1',
	};
	const own = signerThrough && { NODE_URL_LITECOIN: await signerThrough(node.url) };
	const service = await startTestService(variables, undefined, own ?? {});
	const partner = await createPartner(service, { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
	const refundAddress = String(await node.rpc('getnewaddress'));
	await takeBeyondReserve(service, 'LTC');
	const isTaken = async () => (await create(service, partner, { refundAddress })).code === 0;
	await eventually('orders to be taken', isTaken, ORDERS_MILLISECONDS);
	const hot = await service.hotAddress('Litecoin');
	for (const coins of reserve) await node.rpc('sendtoaddress', hot, coins);
	if (reserve.length > 0) await node.mine(FINAL);
	return {
		node,
		service,
		partner,
		receiver,
		refundAddress,
		async bump(stuck) {
			const vault = service.object<Vault>('VAULT', 'vault');
			return (await vault.bump('Litecoin', stuck, { entries: 0, nextIndex: 0 })).answer;
		},
		wake: () => service.object<Agent>('CHAIN_AGENT', 'Litecoin').wake('Litecoin'),
		async stop() {
			await Promise.all([service.local.stop(), node.stop(), receiver.close()]);
			rmSync(service.stateDirectory, { recursive: true, force: true });
		},
	};
}

/** 0.02 ETH, paid on the sandbox and final at once, become a payout of Litecoin. */
export async function payoutOf(
	{ service, partner }: UtxoService,
	toAddress: string,
): Promise<{ order: CreatedOrder; txId: string; amount: string }> {
	const { data: order, text } = await create(service, partner, {
		fromCcy: 'ETH',
		toCcy: 'LTC',
		amount: '0.02',
		toAddress,
		refundAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
	});
	if (!order) throw new Error(text);
	await service.operator('sandbox/deposit', { orders: [order.id] });
	const { to } = await untilStatus(service, partner, order, 'DONE', 30_000);
	return { order, txId: String(to.tx.id), amount: String(to.tx.amount) };
}
