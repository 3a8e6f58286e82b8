/** Time, as the library takes it. A test gives its own. */

export interface Clock {
	/** Unix milliseconds. */
	readonly now: () => number;
	/** Rejects with the signal's reason when it is aborted. */
	readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason);
		const abort = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', abort);
			resolve();
		}, milliseconds);
		signal?.addEventListener('abort', abort, { once: true });
	});
}

export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), wait };
