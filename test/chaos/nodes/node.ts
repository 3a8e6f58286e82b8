/** A node of the service that is killed and started again on its data, and the network around it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AssetId } from '../../../src/catalog/assets.ts';

/** What an address received, as the chain has it now. */
export interface Receipts {
	/** Base units. */
	amount: bigint;
	readonly txIds: string[];
}

export interface ChaosNode {
	readonly network: 'Litecoin' | 'Ethereum';
	readonly asset: AssetId;
	/** Whole coins that an order pays in. */
	readonly orderCoins: string;
	/** The service's, for this node. */
	readonly variables: Readonly<Record<string, string>>;
	/** `kill -9`. */
	kill(): Promise<void>;
	/** On the data that it had on disk. Returns when it answers. */
	start(): Promise<void>;
	/** The next block; nothing while the node is dead that makes them. */
	mine(): Promise<void>;
	/** The coins of a payer are on their way from then on, whatever becomes of the node. */
	pay(address: string, amount: bigint): Promise<void>;
	/** An address that nobody else has. */
	newAddress(): Promise<string>;
	/** By address, in one spelling. */
	receipts(): Promise<ReadonlyMap<string, Receipts>>;
	stop(): Promise<void>;
}

/** One process at a time. */
export class NodeProcess {
	readonly #program: string;
	#child: ChildProcess | null = null;
	readonly #killWithUs = (): void => void this.#child?.kill('SIGKILL');

	constructor(program: string) {
		this.#program = program;
		process.once('exit', this.#killWithUs);
	}

	get isRunning(): boolean {
		return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
	}

	async start(args: readonly string[]): Promise<ChildProcess> {
		const child = spawn(this.#program, args, { stdio: 'ignore' });
		await once(child, 'spawn');
		this.#child = child;
		return child;
	}

	async kill(): Promise<void> {
		const child = this.#child;
		if (!child || !this.isRunning) return;
		// What fails from now on fails because of this.
		this.#child = null;
		const ended = once(child, 'exit');
		child.kill('SIGKILL');
		await ended;
	}

	async stop(): Promise<void> {
		process.off('exit', this.#killWithUs);
		await this.kill();
	}
}
