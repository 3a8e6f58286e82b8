/**
 * Litecoin on regtest: a node that stands for the whole network, with the miner and the payers, which is never killed, and
 * the service's own node beside it. A killed litecoind forgets its mempool and the blocks that were not on its disk yet; the
 * blocks it gets back from its peer, and a payment that it had told nobody is gone.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assetOf } from '../../../src/catalog/assets.ts';
import { jsonRpc } from '../../../src/chains/rpc/json-rpc.ts';
import { freePort } from '../../../src/local/ports.ts';
import { fromBaseUnits, toBaseUnits } from '../../../src/money/units.ts';
import { litecoindFlags, litecoindUrl, startLitecoind, untilLitecoindAnswers } from '../../support/litecoind.ts';
import { type ChaosNode, NodeProcess, type Receipts } from './node.ts';

/** Each gives the miner 50 coins to pay with. */
const MORE_BLOCKS = 30;
const { decimals } = assetOf('LTC');

interface Received {
	readonly address: string;
	readonly amount: string | number;
	readonly txids: readonly string[];
}

export async function startLitecoin(folder: string): Promise<ChaosNode> {
	const [peerPort, rpcPort] = [await freePort(), await freePort()];
	// Payments reach the payer's own node at once.
	const isPeer = ['-listen=1', `-bind=127.0.0.1:${peerPort}`, '-whitelist=noban,relay@127.0.0.1'];
	const around = await startLitecoind(isPeer);
	await around.mine(MORE_BLOCKS);
	const directory = join(folder, 'litecoind');
	mkdirSync(directory);
	const own = new NodeProcess('litecoind');
	const url = litecoindUrl(rpcPort);
	const rpc = jsonRpc([url]);
	const flags = [...litecoindFlags(directory, rpcPort), '-listen=0', `-connect=127.0.0.1:${peerPort}`];
	const heightOf = async (asked: (method: string) => Promise<unknown>) => Number(await asked('getblockcount'));
	const isLevel = async () => {
		const [here, there] = [await heightOf(rpc.call), await heightOf(around.rpc)];
		if (here < there) throw new Error(`the node has ${here} of ${there} blocks`);
	};
	const first = await own.start(flags);
	await untilLitecoindAnswers(first, isLevel);
	return {
		network: 'Litecoin',
		asset: 'LTC',
		orderCoins: '0.8',
		variables: { NODE_URL_LITECOIN: url, NODE_CHAIN_LITECOIN: 'regtest', NODE_POLL_SECONDS_LITECOIN: '1' },
		kill: () => own.kill(),
		async start() {
			const child = await own.start(flags);
			await untilLitecoindAnswers(child, () => rpc.call('getblockcount'));
		},
		mine: async () => void (await around.mine(1)),
		pay: async (address, amount) => void (await around.rpc('sendtoaddress', address, fromBaseUnits(amount, decimals))),
		newAddress: async () => String(await around.rpc('getnewaddress')),
		async receipts() {
			const all = (await around.rpc('listreceivedbyaddress', 0, false)) as readonly Received[];
			return new Map(
				all.map(({ address, amount, txids }): [string, Receipts] => [
					address,
					{ amount: toBaseUnits(String(amount), decimals), txIds: [...txids] },
				]),
			);
		},
		async stop() {
			await own.stop();
			await around.stop();
		},
	};
}
