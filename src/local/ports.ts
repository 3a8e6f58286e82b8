/** Ports of the loopback interface. */
import getPort from 'get-port';

const HOST = '127.0.0.1';
/**
 * Below the ports that a system gives to outgoing connections (from 32768 on Linux, 49152 elsewhere): none of those can
 * take a port between its choice and its use.
 */
const [FIRST, AFTER_LAST] = [15_000, 32_000];
const TRIES = 20;
const BETWEEN_PROCESSES = 1_009;

/** Two processes that ask at the same time do not get the same one: each begins at a place of its own, and goes on from there. */
let next = process.pid * BETWEEN_PROCESSES;

export function freePort(): Promise<number> {
	const from = next++;
	return getPort({
		host: HOST,
		port: Array.from({ length: TRIES }, (_, i) => FIRST + ((from + i) % (AFTER_LAST - FIRST))),
	});
}

/** Not for a port that `freePort` gave to this process: that one is reserved for some seconds. */
export const isFree = async (port: number): Promise<boolean> => (await getPort({ host: HOST, port })) === port;
