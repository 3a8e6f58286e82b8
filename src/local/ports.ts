/** Ports of the loopback interface. */
import { randomInt } from 'node:crypto';
import getPort from 'get-port';

const HOST = '127.0.0.1';
/**
 * Below the ports that a system gives to outgoing connections (from 32768 on Linux, 49152 elsewhere): none of those can
 * take a port between its choice and its use.
 */
const [FIRST, AFTER_LAST] = [15_000, 32_000];
const TRIES = 20;

/** Drawn at random, so that two processes that ask at the same time do not get the same one. */
export const freePort = (): Promise<number> =>
	getPort({ host: HOST, port: Array.from({ length: TRIES }, () => randomInt(FIRST, AFTER_LAST)) });

/** Not for a port that `freePort` gave to this process: that one is reserved for some seconds. */
export const isFree = async (port: number): Promise<boolean> => (await getPort({ host: HOST, port })) === port;
