/** A bound for the time that a caller waits; the work itself goes on. */

/** The work's result, or `late()` when it takes longer. @throws what the work or `late` throws */
export async function within<T, Late>(work: Promise<T>, milliseconds: number, late: () => Late): Promise<T | Late> {
	const over = Promise.withResolvers<null>();
	const timer = setTimeout(over.resolve, Math.max(0, milliseconds), null);
	try {
		const done = await Promise.race([work.then((result) => ({ result })), over.promise]);
		return done ? done.result : late();
	} finally {
		clearTimeout(timer);
	}
}
