/** The part of `npm run chaos` on real nodes: orders between Litecoin and Ethereum, whose nodes are killed. */
import { assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import { operate } from '../../cast/operator.ts';
import { isInstalled } from '../../support/nodes.ts';
import { signed } from '../../support/partner.ts';
import { testVariables } from '../../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import type { Member } from '../journal.ts';
import { ChaosService, pause } from '../service.ts';
import { addMembers, type Played, play } from '../stage.ts';
import { checkChains, ledgerAtRest } from './checks.ts';
import { startEthereum } from './ethereum.ts';
import { startLitecoin } from './litecoin.ts';
import type { ChaosNode } from './node.ts';
import { nodePayers } from './payers.ts';
import { type NodeKills, strikeNodes } from './strikes.ts';

const PARTNERS = 4;
/** An order needs blocks, and an output of the hot wallet: few orders. */
const THINK_MILLISECONDS = 1_000;
/** Milliseconds from block to block. */
const BLOCKS = { Litecoin: 3_000, Ethereum: 1_000 } as const;
/** Coins of the hot wallets, each an output of its own. */
const RESERVES = { Litecoin: Array.from({ length: 30 }, () => '8'), Ethereum: ['900'] } as const;
/** Until the service takes orders both ways: the reserves must be deep. */
const READY_SECONDS = 180;

/** Null where there is no litecoind. */
export async function killNodes(folder: string, seed: number, kills: number): Promise<Played<NodeKills> | null> {
	if (!isInstalled('litecoind')) return null;
	const nodes: ChaosNode[] = [];
	const receiver = await startWebhookReceiver();
	let service: ChaosService | null = null;
	let isOver = false;
	const mining: Promise<void>[] = [];
	try {
		for (const start of [startLitecoin, startEthereum]) nodes.push(await start(folder));
		const onNodes = Object.assign({}, ...nodes.map(({ variables }) => variables));
		service = await ChaosService.inFolder(folder, testVariables({ ...onNodes, ADDRESS_POOL: '40' }));
		await service.launch();
		await service.untilServing();
		mining.push(...nodes.map((node) => mineUntil(node, () => isOver)));
		return await lived({ service, nodes, receiver, seed, kills });
	} finally {
		isOver = true;
		await Promise.all(mining);
		await service?.stop();
		await Promise.all(nodes.map((node) => node.stop()));
		await receiver.close();
	}
}

async function mineUntil(node: ChaosNode, isOver: () => boolean): Promise<void> {
	while (!isOver()) {
		await node.mine();
		await pause(BLOCKS[node.network]);
	}
}

interface Scene {
	readonly service: ChaosService;
	readonly nodes: readonly ChaosNode[];
	readonly receiver: WebhookReceiver;
	readonly seed: number;
	readonly kills: number;
}

async function lived({ service, nodes, receiver, seed, kills }: Scene): Promise<Played<NodeKills>> {
	const members = await addMembers(service, receiver, PARTNERS);
	await fund(service, nodes);
	await untilTaken(service, nodes, members);
	const payers = nodePayers(nodes);
	const stage = { service, receiver, members, payers, seed, thinkMilliseconds: THINK_MILLISECONDS, replays: 20 };
	return play(
		stage,
		(world) => strikeNodes(world, nodes, kills),
		async (journal) => [await ledgerAtRest(service, nodes), await checkChains(service, nodes, journal)],
	);
}

async function fund(service: ChaosService, nodes: readonly ChaosNode[]): Promise<void> {
	const { data } = await operate<readonly { name: string; hotAddress: string }[]>(service, 'network/list', {});
	for (const node of nodes) {
		await operate(service, 'asset/update', { code: node.asset, beyondReserve: true });
		const hot = data.find(({ name }) => name === node.network)?.hotAddress ?? '';
		for (const coins of RESERVES[node.network]) await node.pay(hot, toBaseUnits(coins, assetOf(node.asset).decimals));
	}
}

async function untilTaken(
	service: ChaosService,
	nodes: readonly ChaosNode[],
	[member]: readonly Member[],
): Promise<void> {
	const deadline = Date.now() + READY_SECONDS * 1000;
	const isTaken = async (from: ChaosNode, to: ChaosNode) => {
		const asked = { type: 'float', direction: 'from', fromCcy: from.asset, toCcy: to.asset, amount: from.orderCoins };
		return member && (await signed(service, member.credentials, '/api/v1/price', asked)).code === 0;
	};
	for (const from of nodes)
		for (const to of nodes.filter((node) => node !== from))
			while (!(await isTaken(from, to))) {
				if (Date.now() > deadline) throw new Error(`no orders are taken from ${from.network} to ${to.network}`);
				await pause(500);
			}
}
