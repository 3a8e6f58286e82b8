/** The load generator, from outside its thread. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Traffic } from './traffic.ts';

export interface Load {
	readonly port: number;
	readonly traffic: Traffic;
	/** The run ends at whichever limit comes first; requests under way are waited for. */
	readonly milliseconds: number;
	readonly atMost: number;
	/** Each has one request under way at a time. */
	readonly connections?: number;
	/** Requests go out at this rate, whatever the answers do; without it, each as soon as its connection is free. */
	readonly ratePerSecond?: number;
}

export interface LoadResult {
	/** Answers with the expected content: code 0, or hello. */
	readonly answered: number;
	readonly seconds: number;
	/** Of each answer at a fixed rate, milliseconds since its request was due; empty without one. */
	readonly latencies: readonly number[];
	/** How much of the time the generator itself had work, 0 to 1: near 1 it is what was measured. */
	readonly busy: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly failed: string };

/** Ends a run before its time. */
export const ENOUGH = 'enough';

export interface LoadGenerator {
	/** `enough`: the run ends when it is settled. @throws the first answer that was not wanted. */
	run(load: Load, enough?: Promise<unknown>): Promise<LoadResult>;
	stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
	const thread = new Worker(join(import.meta.dirname, 'load-thread.ts'));
	return {
		async run(load, enough) {
			thread.postMessage(load);
			const answered = once(thread, 'message');
			const end = () => thread.postMessage(ENOUGH);
			enough?.then(end, end);
			const [answer] = (await answered) as [LoadAnswer];
			if ('failed' in answer) throw new Error(answer.failed);
			return answer.result;
		},
		async stop() {
			await thread.terminate();
		},
	};
}

export const perSecond = ({ answered, seconds }: LoadResult): number => answered / seconds;
