/**
 * A port of the loopback interface that was free a moment ago. Drawn from below those that a system gives to whoever asks
 * for any (from 32768 on Linux, 49152 elsewhere): nothing else is given it before it is used.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const [FIRST, AFTER_LAST] = [15_000, 32_000];

export async function freePort(): Promise<number> {
	const port = randomInt(FIRST, AFTER_LAST);
	return (await isFree(port)) ? port : freePort();
}

export function isFree(port: number): Promise<boolean> {
	return new Promise((done) => {
		const server = createServer().on('error', () => done(false));
		server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
	});
}
