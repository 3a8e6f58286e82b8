/** A bound for the time that a caller waits; the work itself goes on. */

/** Null when it takes longer. */
export async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<null>((resolve) => {
		timer = setTimeout(() => resolve(null), Math.max(0, milliseconds));
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
