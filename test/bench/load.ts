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
}

export interface LoadResult {
	/** Answers with the expected content: code 0, or hello. */
	readonly answered: number;
	readonly seconds: number;
	/** How much of the time the generator itself had work, 0 to 1: near 1 it is what was measured. */
	readonly busy: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly failed: string };

export interface LoadGenerator {
	/** @throws the first answer that was not wanted. */
	run(load: Load): Promise<LoadResult>;
	stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
	const thread = new Worker(join(import.meta.dirname, 'load-thread.ts'));
	return {
		async run(load) {
			thread.postMessage(load);
			const [answer] = (await once(thread, 'message')) as [LoadAnswer];
			if ('failed' in answer) throw new Error(answer.failed);
			return answer.result;
		},
		async stop() {
			await thread.terminate();
		},
	};
}

export const perSecond = ({ answered, seconds }: LoadResult): number => answered / seconds;
