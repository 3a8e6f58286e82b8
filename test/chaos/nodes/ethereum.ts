/**
 * Ethereum on anvil, which has no peers: what the network would give back to a node that died, this file gives back. Its
 * state is on disk up to every second block, so a kill loses the mempool and at most the two newest blocks, as a short
 * reorganisation does. The payers send their payments again; those of the service are gone.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { privateKeyToAccount } from 'viem/accounts';
import { TEST_CHAIN_ID } from '../../../src/chains/evm/params.ts';
import { freePort } from '../../../src/local/ports.ts';
import { anvilBinary, askAnvil } from '../../support/anvil.ts';
import { installTokens } from '../../support/tokens.ts';
import { pause } from '../service.ts';
import { type ChaosNode, NodeProcess, type Receipts } from './node.ts';

/** anvil's second account, the payer of all orders; the first one sets the tokens up. */
const payer = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const GWEI = 1_000_000_000n;
const FEE = { gas: 21_000n, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI };
const BLOCKS_PER_COPY = 2;
const START_TRIES = 600;
const PROBE_MILLISECONDS = 25;

interface Block {
	readonly transactions: readonly { readonly hash: string; readonly to: string | null; readonly value: string }[];
}

export async function startEthereum(folder: string): Promise<ChaosNode> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const rpc = (method: string, ...params: unknown[]) => askAnvil(url, method, params);
	const state = join(folder, 'anvil.json');
	const own = new NodeProcess(anvilBinary());
	const flags = ['--port', String(port), '--host', '127.0.0.1', '--chain-id', String(TEST_CHAIN_ID)];
	flags.push('--slots-in-an-epoch', '1', '--no-mining', '--silent', '--preserve-historical-states');
	/** Signed payments, by their nonce. */
	const payments: Promise<string>[] = [];
	let blocks = 0;
	let isUp = false;

	async function keepState(): Promise<void> {
		const dumped = Buffer.from(String(await rpc('anvil_dumpState', true)).slice(2), 'hex');
		writeFileSync(`${state}.new`, gunzipSync(dumped));
		renameSync(`${state}.new`, state);
	}

	/** Refused where the node knows it, or is dead. */
	const send = async (raw: Promise<string>) => rpc('eth_sendRawTransaction', await raw).catch(() => undefined);

	/** What the chain does not have of the payers' payments. */
	async function sendAgain(): Promise<void> {
		const known = Number(await rpc('eth_getTransactionCount', payer.address, 'pending'));
		for (const raw of payments.slice(known)) await send(raw);
	}

	async function start(): Promise<void> {
		await own.start(existsSync(state) ? [...flags, '--load-state', state] : flags);
		for (let tries = 1; !(await rpc('eth_chainId').catch(() => null)); tries++) {
			if (!own.isRunning || tries === START_TRIES) throw new Error('anvil does not start');
			await pause(PROBE_MILLISECONDS);
		}
		isUp = true;
		await sendAgain();
	}

	const mine = (count: number) => rpc('anvil_mine', `0x${count.toString(16)}`);
	await start();
	// Where the node lacks one, the service reads no holdings of the network.
	await installTokens({ rpc, mine: async (count) => void (await mine(count)) }, 'Ethereum');
	await keepState();
	return {
		network: 'Ethereum',
		asset: 'ETH',
		orderCoins: '0.03',
		variables: { NODE_URL_ETHEREUM: url, NODE_CHAIN_ETHEREUM: 'regtest', NODE_POLL_SECONDS_ETHEREUM: '1' },
		async kill() {
			isUp = false;
			await own.kill();
		},
		start,
		async mine() {
			if (!isUp) return;
			try {
				await mine(1);
				blocks += 1;
				if (blocks % BLOCKS_PER_COPY === 0) await keepState();
			} catch (error) {
				if (isUp) throw error;
			}
		},
		async pay(to, value) {
			const terms = { ...FEE, to: to as `0x${string}`, value, nonce: payments.length, chainId: TEST_CHAIN_ID };
			const raw = payer.signTransaction({ ...terms, type: 'eip1559' });
			payments.push(raw);
			// Where the node is dead, its next start sends it.
			await send(raw);
		},
		newAddress: async () => `0x${randomBytes(20).toString('hex')}`,
		async receipts() {
			const found = new Map<string, Receipts>();
			const height = Number(await rpc('eth_blockNumber'));
			for (let at = 0; at <= height; at++) {
				const block = (await rpc('eth_getBlockByNumber', `0x${at.toString(16)}`, true)) as Block | null;
				for (const { hash, to, value } of block?.transactions ?? []) {
					const receipts = found.get(to ?? '') ?? { amount: 0n, txIds: [] };
					receipts.amount += BigInt(value);
					receipts.txIds.push(hash);
					found.set(to ?? '', receipts);
				}
			}
			return found;
		},
		stop: () => own.stop(),
	};
}
